-- The projection (spec 3, 4): what a fact's derived state is at an instant under a policy. Written once, used
-- by all who write, count, filter or show it. A fragment, a whole SELECT.
-- Parameters: present: what a clock may not be later than without notice; adopted_at; previous_pass_at (-infinity for none); with_confidence, with_importance;
-- min_delta, threshold: 0..1; durabilities, categories: names; half_lives: seconds, infinity for never; shapes
-- (both by policy number: 1 pinned, 2 expired, 3 the row's own decay_rate, 4 an obligation after its deadline,
-- 5 and on the durabilities, then the categories); first_category: the number before the first category;
-- settled: those of decision and routine that never decay; obligation_waits; obligation_ends: whether there is
-- a policy 4; grace_s; mood_half_life_s; importance_half_life_s, importance_shape; by_access; tier_ends: seconds,
-- ascending; tier_factors: one more than ends.
-- Slots: rows: a relation in the shape of reading.sql; as_of: the instant, a timestamptz; survival: the function; confidence_type; value:
-- facts/value; rate_half_life_s: facts/rate_half_life.
-- Result: a row a fact. policy_no is 0 where problem says why the fact is left alone; update_age_s, access_age_s: what
-- importance fades by, in seconds; exempt: whether it doesn't. Locks: none.
-- Names resolve to pg_catalog whatever the schemas of the search path hold: functions qualified, operands of
-- the exact types of an operator (docs/decisions/0005).
-- A chain of stages, each computed once a row: OFFSET 0 keeps the planner from merging them, which would repeat
-- their expressions. For the same reason this never stands beneath a locking clause, whose recheck would see the
-- stages' old values: lock first, project what was locked.
WITH judged AS (
    SELECT
        f.key, f.version, f.durability, f.category, f.confidence, f.confidence_base, f.confidence_anchor_at,
        f.last_confirmed_at, f.last_accessed_at, f.expires, f.settled, f.pinned, f.effective_importance, f.decay_rate,
        coalesce(f.importance, 5) AS importance,
        coalesce(f.last_confirmed_at, f.learned_at) AS confirmed_at,
        CASE
            WHEN f.durability IS NULL OR f.category IS NULL THEN 'not classified yet'
            WHEN f.durability::text <> ALL (%(durabilities)s::text[]) THEN 'unknown durability'
            WHEN coalesce(f.confidence::float8, 1) NOT BETWEEN 0::float8 AND 1::float8
                THEN 'confidence is not between 0 and 1'
            WHEN f.confidence_base NOT BETWEEN 0::float8 AND 1::float8
                THEN 'confidence_base is not between 0 and 1'
            WHEN f.decay_rate < 0::float8 THEN 'decay_rate is negative'
            WHEN f.decay_rate >= 'infinity'::float8 THEN 'decay_rate is not a finite number'
            WHEN NOT pg_catalog.isfinite(f.last_confirmed_at) THEN 'last_confirmed_at is infinite'
            WHEN NOT pg_catalog.isfinite(f.learned_at) THEN 'learned_at is infinite'
            WHEN NOT pg_catalog.isfinite(f.last_accessed_at) THEN 'last_accessed_at is infinite'
            WHEN NOT pg_catalog.isfinite(f.confidence_anchor_at) THEN 'confidence_anchor_at is infinite'
            WHEN f.expires = '-infinity'::timestamptz THEN 'expires is infinite'
            WHEN f.importance::int4 NOT BETWEEN 1::int4 AND 10::int4 THEN 'importance is not between 1 and 10'
        END AS problem,
        CASE
            WHEN f.last_confirmed_at > %(present)s THEN 'last_confirmed_at is later than now'
            WHEN f.learned_at > %(present)s THEN 'learned_at is later than now'
            WHEN f.last_accessed_at > %(present)s THEN 'last_accessed_at is later than now'
        END AS notice,
        f.confidence_base IS NULL OR f.confidence IS DISTINCT FROM f.confidence_written AS set_outside,
        coalesce(f.expires <= {as_of}, false) AS past
    FROM {rows} AS f
    OFFSET 0
),
anchored AS (
    SELECT
        j.key, j.version, j.durability, j.category, j.confidence, j.last_confirmed_at, j.confirmed_at,
        j.last_accessed_at, j.expires, j.settled, j.pinned, j.importance, j.effective_importance, j.decay_rate,
        j.problem, j.notice,
        j.past AND j.category::text = 'obligation'::text AS past_deadline,
        CASE
            WHEN j.set_outside THEN coalesce(j.confidence::float8, 1)
            ELSE j.confidence_base
        END AS base,
        CASE
            WHEN j.confidence_base IS NULL OR j.confidence_anchor_at IS NULL THEN greatest(
                least(coalesce(j.confirmed_at, {as_of}), {as_of}), %(adopted_at)s::timestamptz
            )
            WHEN NOT j.set_outside THEN j.confidence_anchor_at
            WHEN j.last_confirmed_at > j.confidence_anchor_at
                AND j.last_confirmed_at > %(previous_pass_at)s::timestamptz
                THEN least(j.last_confirmed_at, {as_of})
            ELSE {as_of}
        END AS anchor_at,
        j.set_outside OR j.confidence_anchor_at IS NULL AS anew,
        CASE
            WHEN j.problem IS NOT NULL THEN 0
            WHEN j.pinned THEN 1
            WHEN j.past AND j.category::text <> 'obligation'::text THEN 2
            WHEN j.category::text = ANY (%(settled)s::text[])
                OR (%(obligation_waits)s AND j.category::text = 'obligation'::text AND NOT j.past)
                THEN %(first_category)s::int4
                    + pg_catalog.array_position(%(categories)s::text[], j.category::text)
            WHEN j.decay_rate IS NOT NULL AND (
                j.category::text <> 'mood'::text
                OR (j.decay_rate > 0::float8 AND {rate_half_life_s} < %(mood_half_life_s)s::float8)
            ) THEN 3
            WHEN %(obligation_ends)s AND j.past AND j.category::text = 'obligation'::text THEN 4
            ELSE coalesce(
                %(first_category)s::int4
                    + pg_catalog.array_position(%(categories)s::text[], j.category::text),
                4 + pg_catalog.array_position(%(durabilities)s::text[], j.durability::text)
            )
        END AS policy_no
    FROM judged AS j
    OFFSET 0
),
aged AS (
    SELECT
        j.key, j.version, j.durability, j.category, j.confidence, j.expires, j.importance,
        j.effective_importance, j.problem, j.notice, j.past_deadline, j.base, j.anchor_at, j.anew, j.policy_no,
        j.pinned
            OR j.durability::text = 'permanent'::text
            OR j.category::text = ANY ('{{decision,routine}}'::text[])
            OR (j.category::text = 'obligation'::text AND NOT j.past_deadline AND NOT j.settled) AS exempt,
        least(greatest(j.anchor_at, j.last_confirmed_at), {as_of}) AS started_at,
        CASE
            WHEN j.policy_no <> 3 THEN (%(half_lives)s::float8[])[j.policy_no]
            WHEN j.decay_rate = 0::float8 THEN 'infinity'::float8
            ELSE {rate_half_life_s}
        END AS half_life_s,
        CASE WHEN j.policy_no = 3 THEN 1::float8 ELSE (%(shapes)s::float8[])[j.policy_no] END AS shape,
        CASE
            WHEN j.problem IS NOT NULL THEN 0
            WHEN j.past_deadline THEN greatest(
                least(
                    pg_catalog.date_part(
                        'epoch'::text, {as_of} - least(greatest(j.anchor_at, j.last_confirmed_at), {as_of})
                    ),
                    pg_catalog.date_part('epoch'::text, {as_of} - j.expires) - %(grace_s)s::float8
                ),
                0
            )
            ELSE pg_catalog.date_part(
                'epoch'::text, {as_of} - least(greatest(j.anchor_at, j.last_confirmed_at), {as_of})
            )
        END AS age_s,
        CASE
            WHEN j.problem IS NULL THEN pg_catalog.date_part(
                'epoch'::text,
                {as_of} - least(
                    CASE WHEN %(by_access)s THEN greatest(j.confirmed_at, j.last_accessed_at) ELSE j.confirmed_at END,
                    {as_of}
                )
            )
        END AS update_age_s,
        CASE
            WHEN j.problem IS NULL THEN pg_catalog.date_part(
                'epoch'::text, {as_of} - least(greatest(j.confirmed_at, j.last_accessed_at), {as_of})
            )
        END AS access_age_s
    FROM anchored AS j
    OFFSET 0
),
faded AS (
    SELECT
        j.key, j.version, j.durability, j.category, j.confidence, j.expires, j.importance,
        j.effective_importance, j.problem, j.notice, j.past_deadline, j.base, j.anchor_at, j.anew, j.policy_no,
        j.started_at, j.half_life_s, j.shape, j.age_s, j.update_age_s, j.access_age_s, j.exempt,
        {survival}(j.age_s, j.half_life_s, j.shape) AS survival,
        CASE
            WHEN j.problem IS NOT NULL THEN NULL
            WHEN j.exempt THEN j.importance
            ELSE greatest(
                1,
                pg_catalog.round(
                    j.importance::float8
                    -- What is below 1 ends as 1: the bounds keep the product from underflowing.
                    * greatest(
                        {survival}(
                            j.update_age_s, %(importance_half_life_s)s::float8, %(importance_shape)s::float8
                        ),
                        1e-100::float8
                    )
                    * greatest(
                        (%(tier_factors)s::float8[])[
                            1 + pg_catalog.width_bucket(j.access_age_s, %(tier_ends)s::float8[])
                        ],
                        1e-100::float8
                    )
                )
            )::smallint
        END AS derived_importance
    FROM aged AS j
    OFFSET 0
),
derived AS (
    SELECT
        j.key, j.version, j.durability, j.category, j.confidence, j.expires, j.importance,
        j.effective_importance, j.problem, j.notice, j.past_deadline, j.base, j.anchor_at, j.anew, j.policy_no,
        j.started_at, j.half_life_s, j.shape, j.age_s, j.update_age_s, j.access_age_s, j.exempt, j.survival,
        j.derived_importance,
        {value} AS value,
        CASE
            WHEN %(with_confidence)s AND j.problem IS NULL THEN ({value})::{confidence_type}
            ELSE j.confidence
        END AS new_confidence,
        CASE
            WHEN %(with_importance)s AND j.problem IS NULL THEN j.derived_importance
            ELSE j.effective_importance
        END AS new_effective_importance
    FROM faded AS j
    OFFSET 0
)
SELECT
    j.key,
    j.version,
    j.durability,
    j.category,
    j.confidence AS stored_confidence,
    j.effective_importance AS stored_effective_importance,
    j.importance,
    j.expires,
    j.problem,
    j.notice,
    j.past_deadline,
    j.base,
    j.anchor_at,
    j.started_at,
    j.anew,
    j.policy_no,
    j.half_life_s,
    j.shape,
    j.age_s,
    j.survival,
    j.update_age_s,
    j.access_age_s,
    j.exempt,
    j.value,
    j.derived_importance AS effective_importance,
    j.new_confidence,
    j.new_effective_importance,
    j.new_confidence IS DISTINCT FROM j.confidence AS confidence_changed,
    j.new_effective_importance IS DISTINCT FROM j.effective_importance AS importance_changed,
    j.problem IS NULL AND (
        (%(with_confidence)s AND j.anew)
        OR (
            j.new_confidence IS DISTINCT FROM j.confidence
            AND (
                pg_catalog.abs(j.new_confidence::float8 - coalesce(j.confidence::float8, 1))
                    >= %(min_delta)s::float8
                OR (j.new_confidence::float8 < %(threshold)s::float8)
                    <> (coalesce(j.confidence::float8, 1) < %(threshold)s::float8)
            )
        )
        OR j.new_effective_importance IS DISTINCT FROM j.effective_importance
    ) AS due
FROM derived AS j
