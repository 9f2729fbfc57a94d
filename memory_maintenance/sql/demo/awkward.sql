-- Rows that real databases hold and that programs trip over.
--
-- Purpose: each value tells what is odd about its row. A fact without an entity is legal, and so is a
--          NaN in a real column; the confidence is kept by its CHECK.
-- Params:  as_of, timestamptz: the demo's present.
-- Locks:   ROW EXCLUSIVE on entity_facts.

WITH zone AS (
    SELECT s.reset_val AS name FROM pg_catalog.pg_settings AS s WHERE s.name = 'TimeZone'
),
odd (place, key, value, data_type, confidence, learned_at, confirmed_at, decay_rate) AS (
    VALUES
        (1, 'untyped', 'data_type is NULL, so that nobody knows how long this lasts',
            NULL::text, 0.8::double precision, %(as_of)s::timestamptz - interval '50 days',
            %(as_of)s::timestamptz - interval '50 days', NULL::real),
        (2, 'untyped', 'data_type is NULL and so is the confidence', NULL, NULL,
            %(as_of)s::timestamptz - interval '5 days', %(as_of)s::timestamptz - interval '5 days',
            NULL),
        (3, 'unsure', 'confidence is NULL, which reads as 1.0', 'observation', NULL,
            %(as_of)s::timestamptz - interval '200 days',
            %(as_of)s::timestamptz - interval '200 days', NULL),
        (4, 'zero', 'confidence is 0: nothing is left to decay', 'observation', 0,
            %(as_of)s::timestamptz - interval '20 days',
            %(as_of)s::timestamptz - interval '20 days', NULL),
        (5, 'tiny', 'confidence is 1e-300: times a small number it underflows', 'observation',
            1e-300, %(as_of)s::timestamptz - interval '300 days',
            %(as_of)s::timestamptz - interval '300 days', NULL),
        (6, 'future', 'confirmed 3 days from now, by a clock that was wrong', 'observation', 0.9,
            %(as_of)s::timestamptz - interval '10 days',
            %(as_of)s::timestamptz + interval '3 days', NULL),
        (7, 'future', 'learned and confirmed next year', 'observation', 0.9,
            %(as_of)s::timestamptz + interval '365 days',
            %(as_of)s::timestamptz + interval '365 days', NULL),
        (8, 'undated', 'learned, but never confirmed', 'observation', 0.9,
            %(as_of)s::timestamptz - interval '100 days', NULL, NULL),
        (9, 'undated', 'no timestamp at all', 'observation', 0.9, NULL, NULL, NULL),
        (10, 'endless', 'confirmed at infinity, which is a legal timestamp', 'observation', 0.9,
            %(as_of)s::timestamptz - interval '30 days', 'infinity', NULL),
        (11, 'endless', 'confirmed at minus infinity', 'observation', 0.9,
            %(as_of)s::timestamptz - interval '30 days', '-infinity', NULL),
        (12, 'own rate', 'decay_rate 0: never decays', 'observation', 0.7,
            %(as_of)s::timestamptz - interval '250 days',
            %(as_of)s::timestamptz - interval '250 days', 0),
        (13, 'own rate', 'decay_rate 0.1 a day: half of it is gone within a week', 'observation',
            0.9, %(as_of)s::timestamptz - interval '7 days',
            %(as_of)s::timestamptz - interval '7 days', 0.1),
        (14, 'own rate', 'decay_rate -0.01 would make it grow', 'observation', 0.9,
            %(as_of)s::timestamptz - interval '10 days',
            %(as_of)s::timestamptz - interval '10 days', -0.01),
        (15, 'own rate', 'decay_rate is NaN', 'observation', 0.9,
            %(as_of)s::timestamptz - interval '10 days',
            %(as_of)s::timestamptz - interval '10 days', 'NaN'),
        (16, 'ancient', 'a passing state, ten years old', 'temporal', 0.9,
            %(as_of)s::timestamptz - interval '3650 days',
            %(as_of)s::timestamptz - interval '3650 days', NULL),
        (17, 'hostile', 'quotes '' " and $1 :x; DROP TABLE nothing; -- <script>alert(1)</script> '
            || chr(27) || '[31mred' || chr(27) || '[0m ' || chr(128512), 'observation', 0.9,
            %(as_of)s::timestamptz - interval '15 days',
            %(as_of)s::timestamptz - interval '15 days', NULL)
)
INSERT INTO public.entity_facts (
    entity_id, key, value, confidence, learned_at, updated_at, last_confirmed, data_type,
    last_confirmed_at, decay_rate
)
SELECT
    NULL,
    o.key,
    o.value,
    o.confidence,
    o.learned_at AT TIME ZONE z.name,
    o.learned_at AT TIME ZONE z.name,
    o.confirmed_at AT TIME ZONE z.name,
    o.data_type,
    o.confirmed_at,
    o.decay_rate
FROM odd AS o
CROSS JOIN zone AS z
ORDER BY o.place
