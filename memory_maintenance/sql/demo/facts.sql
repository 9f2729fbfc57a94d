-- The demo's facts first..last: any number of them, the same for the same arguments.
--
-- Purpose: each 570 consecutive rows hold exactly the counts of the reference deployment: 84 permanent,
--          82 identity, 4 preference, 400 observation, mixed. Learned within the 365 days before as_of;
--          half were confirmed again since. "Random" picks are products of the row's number with large
--          primes, modulo 2 ** 32 (the high bits of which are well mixed): no random(), no seed.
-- Params:  first, last, integer: numbers of the rows, from 1; as_of, timestamptz: the demo's present.
--          Zone-less columns get the wall clock of the database's default zone, as CURRENT_TIMESTAMP
--          in a session of its own would have given them.
-- Locks:   ROW EXCLUSIVE on entity_facts.

WITH zone AS (
    SELECT s.reset_val AS name FROM pg_catalog.pg_settings AS s WHERE s.name = 'TimeZone'
),
-- subject: whom the fact is about. What stands in angle brackets is filled in below.
phrase (data_type, subject, key, pattern) AS (
    VALUES
        ('permanent', 'person', 'birthplace', '<name> was born in <place>'),
        ('permanent', 'person', 'family', '<name> and <other> are cousins; both grew up in <place>'),
        ('permanent', 'person', 'allergy', '<name> is allergic to penicillin, noted at the clinic'),
        ('permanent', 'person', 'education', '<name> studied civil engineering in <place>'),
        ('permanent', 'person', 'native_language', '<name> grew up bilingual, having moved to <place>'),
        ('permanent', 'agent', 'agent_limit', '<name> never pays a bill without asking first'),
        ('identity', 'person', 'full_name', '<name>'),
        ('identity', 'person', 'email', 'contact<serial>@example.org'),
        ('identity', 'person', 'phone', '+1 555 <number>'),
        ('identity', 'person', 'timezone', 'Europe/Berlin'),
        ('identity', 'person', 'occupation', '<name> teaches chemistry at a school in <place>'),
        ('identity', 'person', 'home_town', '<name> lives in <place>, on the third floor'),
        ('identity', 'agent', 'agent_capability', '<name> can read and draft letters about <topic>'),
        ('preference', 'person', 'favourite_food', '<name> likes mushroom risotto, never with cream'),
        ('preference', 'person', 'communication', '<name> wants short answers, and none before nine'),
        ('preference', 'person', 'travel', '<name> takes the night train to <place> when there is one'),
        ('preference', 'person', 'music', '<name> prefers cello suites while working on <topic>'),
        ('observation', 'person', 'project', '<name> is working with <other> on <topic>'),
        ('observation', 'person', 'meeting', '<name> met <other> in <place> to talk about <topic>'),
        ('observation', 'person', 'mood', '<name> sounded tired and short of time after <topic>'),
        ('observation', 'person', 'mood', '<name> was in high spirits when back from <place>'),
        ('observation', 'person', 'decision', '<name> chose the quieter flat in <place>, for good'),
        ('observation', 'person', 'decision', '<name> and <other> settled on <topic> for the spring'),
        ('observation', 'person', 'obligation', '<name> owes <other> a draft about <topic>'),
        ('observation', 'person', 'obligation', '<name> has to renew the passport for the trip to <place>'),
        ('observation', 'person', 'routine', '<name> runs along the river before breakfast'),
        ('observation', 'person', 'routine', '<name> calls <other> on Sunday evenings'),
        ('observation', 'person', 'health', '<name> has a sore knee and skips the stairs'),
        ('observation', 'person', 'reading', '<name> is reading a novel set in <place>'),
        ('observation', 'person', 'purchase', '<name> is comparing cargo bikes, up to <number> euros'),
        ('observation', 'person', 'visit', '<other> stays with <name> in <place> for a few days'),
        ('observation', 'person', 'question', '<name> asked how <topic> would work with two children'),
        ('observation', 'person', 'skill', '<name> has begun to learn about <topic> from <other>'),
        ('observation', 'person', 'complaint', '<name> finds the reminders about <topic> too frequent'),
        ('observation', 'person', 'weather', '<name> said that it rained all week in <place>'),
        ('observation', 'agent', 'routing_hint', 'Questions about <topic> go to <name> first'),
        ('observation', 'agent', 'delegation_outcome', '<name> finished <topic> in <minutes> minutes'),
        ('observation', 'agent', 'delegation_rule', '<name> hands <topic> over once it is planned'),
        ('observation', 'agent', 'status', '<name> could not reach the calendar for <minutes> minutes')
),
numbered_phrase AS (
    SELECT
        p.data_type,
        p.subject,
        p.key,
        p.pattern,
        row_number() OVER (
            ORDER BY p.data_type COLLATE "C", p.key COLLATE "C", p.pattern COLLATE "C"
        ) AS place
    FROM phrase AS p
),
-- The phrases of a type are numbered without gaps, so that one of them is picked by its number.
phrases_of_type AS (
    SELECT p.data_type, min(p.place) AS first, count(*) AS places
    FROM numbered_phrase AS p
    GROUP BY p.data_type
),
words AS (
    SELECT
        ARRAY[
            'Lisbon', 'Leipzig', 'Bergen', 'Kyoto', 'Ghent', 'Halifax', 'Izmir', 'Porto', 'Turku',
            'Valencia', 'Galway', 'Krakow', 'Lagos'
        ] AS places,
        ARRAY[
            'the community garden', 'the kitchen renovation', 'the thesis on tidal power',
            'the choir''s concert', 'the move to a smaller office', 'the tax return',
            'the school festival', 'the bicycle workshop', 'the solar panels on the roof',
            'the summer holidays', 'the backup of the photo archive'
        ] AS topics,
        ARRAY[
            'Mentioned in passing on the phone, while the dishes were being done.',
            'Said twice in the same conversation, the second time with some emphasis.',
            'Taken from a message; the wording is not exact, the meaning is.',
            'Came up when the calendar for the coming weeks was gone through.',
            'Confirmed when asked; nothing further was said about it.'
        ] AS contexts
),
person AS (
    SELECT e.id, e.name, row_number() OVER (ORDER BY e.id) - 1 AS place
    FROM public.entities AS e
    WHERE e.type = 'person'
),
agent AS (
    SELECT e.id, e.name, row_number() OVER (ORDER BY e.id) - 1 AS place
    FROM public.entities AS e
    WHERE e.type = 'ai'
),
talk AS (
    SELECT
        t.id AS transcript_id,
        t.channel_session_id,
        row_number() OVER (ORDER BY t.id) - 1 AS place
    FROM public.channel_transcripts AS t
),
size AS (
    SELECT
        (SELECT count(*) FROM person) AS persons,
        (SELECT count(*) FROM agent) AS agents,
        (SELECT count(*) FROM talk) AS talks
),
-- 211 has no factor in common with 570: every slot is taken once in each 570 rows.
drawn AS (
    SELECT
        g.n,
        mod(g.n::bigint * 211, 570) AS slot,
        mod(g.n::bigint * 2654435761, 4294967296) / 65536 AS a,
        mod(g.n::bigint * 2246822519, 4294967296) / 65536 AS b,
        mod(g.n::bigint * 3266489917, 4294967296) / 65536 AS c,
        mod(g.n::bigint * 668265263, 4294967296) / 65536 AS d,
        mod(g.n::bigint * 374761393, 4294967296) / 65536 AS e
    FROM generate_series(%(first)s::integer, %(last)s::integer) AS g (n)
),
typed AS (
    SELECT
        r.n,
        r.slot,
        r.a,
        r.b,
        r.c,
        r.d,
        r.e,
        CASE
            WHEN r.slot < 84 THEN 'permanent'
            WHEN r.slot < 166 THEN 'identity'
            WHEN r.slot < 170 THEN 'preference'
            ELSE 'observation'
        END AS data_type,
        -- In whole seconds, from 0 to 365 days.
        interval '1 s' * mod(r.n::bigint * 2654435761, 31536000) AS learned_age,
        mod((r.a + r.e) / 8, 2)::integer AS confirmed
    FROM drawn AS r
),
-- MATERIALIZED: everything is computed once a row, and the phrase is known before it is joined.
aged AS MATERIALIZED (
    SELECT
        r.n,
        r.slot,
        r.a,
        r.b,
        r.c,
        r.d,
        r.e,
        r.data_type,
        r.confirmed,
        r.learned_age,
        CASE r.confirmed
            WHEN 1 THEN r.learned_age * (r.c / 65536.0::double precision)
            ELSE r.learned_age
        END AS confirmed_age,
        o.first + mod(r.b, o.places) AS phrase
    FROM typed AS r
    JOIN phrases_of_type AS o ON o.data_type = r.data_type
)
INSERT INTO public.entity_facts (
    entity_id, key, value, data, source, confidence, learned_at, updated_at, visibility,
    privacy_scope, source_entity_id, visibility_reason, vote_count, last_confirmed, data_type,
    last_confirmed_at, confirmation_count, source_channel_transcript_id, source_channel_session_id
)
SELECT
    s.id,
    p.key,
    CASE
        WHEN p.data_type = 'identity' AND p.key <> 'occupation' THEN said.text
        ELSE said.text || '. ' || w.contexts[1 + mod(r.e, 5)]
    END,
    CASE WHEN mod(r.c, 10) = 0 THEN jsonb_build_object('extractor', 'v3', 'turn', mod(r.d, 40)) END,
    lower(teller.name),
    CASE
        WHEN r.data_type IN ('permanent', 'identity') THEN 1.0
        WHEN mod(r.d, 3) = 0 THEN 1.0
        ELSE (40 + mod(r.e, 60)) / 100.0::double precision
    END,
    (%(as_of)s::timestamptz - r.learned_age) AT TIME ZONE z.name,
    (%(as_of)s::timestamptz - r.confirmed_age) AT TIME ZONE z.name,
    CASE WHEN r.slot >= 560 THEN 'private' WHEN r.slot >= 520 THEN 'trusted' ELSE 'public' END,
    CASE WHEN r.slot >= 560 THEN ARRAY[s.id, teller.id] END,
    teller.id,
    CASE WHEN r.slot >= 560 THEN 'said in confidence' END,
    1 + r.confirmed * (1 + mod(r.d, 4)::integer),
    (%(as_of)s::timestamptz - r.confirmed_age) AT TIME ZONE z.name,
    r.data_type,
    %(as_of)s::timestamptz - r.confirmed_age,
    1 + r.confirmed * (1 + mod(r.d, 4)::integer),
    CASE WHEN mod(r.a, 5) = 0 THEN t.transcript_id END,
    CASE WHEN mod(r.a, 5) = 0 THEN t.channel_session_id END
FROM aged AS r
CROSS JOIN size
CROSS JOIN zone AS z
CROSS JOIN words AS w
JOIN numbered_phrase AS p ON p.place = r.phrase
JOIN person AS about ON about.place = mod(r.c, size.persons)
JOIN person AS other ON other.place = mod(r.c + 1 + mod(r.d, size.persons - 1), size.persons)
JOIN agent AS teller ON teller.place = mod(r.d, size.agents)
JOIN agent AS worker ON worker.place = mod(r.c, size.agents)
JOIN talk AS t ON t.place = mod(r.e, size.talks)
CROSS JOIN LATERAL (
    SELECT
        CASE p.subject WHEN 'agent' THEN worker.id ELSE about.id END AS id,
        CASE p.subject WHEN 'agent' THEN worker.name ELSE about.name END AS name
) AS s
CROSS JOIN LATERAL (
    SELECT
        replace(replace(replace(replace(replace(replace(replace(
            p.pattern,
            '<name>', s.name),
            '<other>', other.name),
            '<place>', w.places[1 + mod(r.d, 13)]),
            '<topic>', w.topics[1 + mod(r.a, 11)]),
            '<number>', (1000 + mod(r.e, 9000))::text),
            '<minutes>', (5 + mod(r.e, 55))::text),
            '<serial>', r.n::text) AS text
) AS said
ORDER BY r.n
