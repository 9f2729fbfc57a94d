-- Three examples of each of the eight types once proposed for data_type.
--
-- Purpose: something for every policy to show. Needs proposed_check.sql before it. Deadlines stand in
--          the text, or in data, and lie around as_of: two to come, one passed.
-- Params:  as_of, timestamptz: the demo's present.
-- Locks:   ROW EXCLUSIVE on entity_facts.

WITH zone AS (
    SELECT s.reset_val AS name FROM pg_catalog.pg_settings AS s WHERE s.name = 'TimeZone'
),
example (place, entity, data_type, key, value, data, age) AS (
    VALUES
        (1, 'Ada Abbott', 'trait', 'character', 'Dry sense of humour, patient with beginners',
            NULL::jsonb, interval '300 days'),
        (2, 'Ben Haddad', 'trait', 'character', 'Plans ahead, dislikes surprises', NULL,
            interval '200 days'),
        (3, 'Nova', 'trait', 'voice', 'Speaks plainly and asks before acting', NULL,
            interval '340 days'),
        (4, 'Ada Abbott', 'mood', 'mood', 'Relieved that the exam is over', NULL,
            interval '6 hours'),
        (5, 'Ben Haddad', 'mood', 'mood', 'Annoyed about the delayed train', NULL,
            interval '30 hours'),
        (6, 'Chiara Okafor', 'mood', 'mood', 'Nervous before the interview', NULL,
            interval '12 days'),
        (7, 'Ada Abbott', 'state', 'whereabouts', 'Staying with friends in Bergen', NULL,
            interval '2 days'),
        (8, 'Ben Haddad', 'state', 'health', 'Has a cold and works from home', NULL,
            interval '9 days'),
        (9, 'Gauge', 'state', 'server', 'The second disk is being replaced', NULL,
            interval '21 days'),
        (10, 'Ada Abbott', 'decision', 'database', 'PostgreSQL rather than a hosted vector store',
            jsonb_build_object('reasoning', 'one backup, one set of permissions'),
            interval '150 days'),
        (11, 'Chiara Okafor', 'decision', 'school', 'The children stay at Elm Street School', NULL,
            interval '90 days'),
        (12, 'Nova', 'decision', 'tone', 'No jokes in letters to authorities', NULL,
            interval '250 days'),
        (13, 'Ada Abbott', 'routine', 'exercise', 'Swims on Tuesday and Friday mornings', NULL,
            interval '120 days'),
        (14, 'Ben Haddad', 'routine', 'shopping', 'Orders vegetables every other Thursday', NULL,
            interval '60 days'),
        (15, 'Sprout', 'routine', 'garden', 'Waters the greenhouse at six, unless it rains', NULL,
            interval '180 days'),
        (16, 'Ada Abbott', 'obligation', 'conference', 'Present at the conference on <in 20 days>',
            NULL, interval '40 days'),
        (17, 'Ben Haddad', 'obligation', 'invoice', 'Pay the invoice of Tandem Cycles',
            jsonb_build_object('deadline', '<in 5 days>'), interval '10 days'),
        (18, 'Chiara Okafor', 'obligation', 'library', 'Bring the books back by <4 days ago>',
            NULL, interval '25 days'),
        (19, 'Ada Abbott', 'preference', 'tea', 'Green tea, never after four in the afternoon', NULL,
            interval '80 days'),
        (20, 'Ben Haddad', 'preference', 'seats', 'An aisle seat, close to the door', NULL,
            interval '30 days'),
        (21, 'Chiara Okafor', 'preference', 'meetings', 'No meetings on Fridays', NULL,
            interval '5 days'),
        (22, 'Ada Abbott', 'observation', 'bicycle', 'Asked twice about repairing the bicycle', NULL,
            interval '3 days'),
        (23, 'Ben Haddad', 'observation', 'book', 'Gave up on the long novel half-way', NULL,
            interval '45 days'),
        (24, 'Biscuit', 'observation', 'thunder', 'Hid under the table during the storm', NULL,
            interval '160 days')
),
dated AS (
    SELECT
        to_char((%(as_of)s::timestamptz + interval '20 days') AT TIME ZONE z.name, 'FMMonth FMDD')
            AS in_20_days,
        to_char((%(as_of)s::timestamptz + interval '5 days') AT TIME ZONE z.name, 'YYYY-MM-DD')
            AS in_5_days,
        to_char((%(as_of)s::timestamptz - interval '4 days') AT TIME ZONE z.name, 'FMMonth FMDD')
            AS days_ago_4,
        z.name AS zone
    FROM zone AS z
)
INSERT INTO public.entity_facts (
    entity_id, key, value, data, source, confidence, learned_at, updated_at, last_confirmed,
    data_type, last_confirmed_at
)
SELECT
    e.id,
    x.key,
    replace(
        replace(x.value, '<in 20 days>', d.in_20_days), '<4 days ago>', d.days_ago_4
    ),
    replace(x.data::text, '<in 5 days>', d.in_5_days)::jsonb,
    'conversation',
    0.9,
    (%(as_of)s::timestamptz - x.age) AT TIME ZONE d.zone,
    (%(as_of)s::timestamptz - x.age) AT TIME ZONE d.zone,
    (%(as_of)s::timestamptz - x.age) AT TIME ZONE d.zone,
    x.data_type,
    %(as_of)s::timestamptz - x.age
FROM example AS x
CROSS JOIN dated AS d
LEFT JOIN public.entities AS e ON e.name = x.entity
ORDER BY x.place
