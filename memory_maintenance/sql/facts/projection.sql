-- The projection (spec 3, 4): what a fact's derived state is at an instant under a policy. Written once, used
-- by all who write, count, filter or show it. A fragment, a whole SELECT.
-- Parameters: as_of; adopted_at; previous_pass_at (-infinity for none); with_confidence, with_importance;
-- min_delta, threshold: 0..1; durabilities, categories: names; half_lives: seconds, infinity for never; shapes
-- (both by policy number: 1 pinned, 2 expired, 3 the row's own decay_rate, 4 an obligation after its deadline,
-- 5 and on the durabilities, then the categories); first_category: the number before the first category;
-- settled: those of decision and routine that never decay; obligation_waits; obligation_ends: whether there is
-- a policy 4; grace_s; mood_half_life_s; importance_half_life_s, importance_shape; by_access; tier_ends: seconds,
-- ascending; tier_factors: one more than ends.
-- Slots: rows: a relation in the shape of reading.sql; survival: the function; confidence_type; smallest: what
-- is below it is 0.
-- Result: a row a fact. policy_no is 0 where problem says why the fact is left alone. Locks: none.
-- Each stage is computed once a row: OFFSET 0 keeps the planner from merging the stages, which would repeat
-- their expressions. For the same reason this never stands beneath a locking clause, whose recheck would see
-- the stages' old values: lock first, project what was locked.
SELECT
    f.key,
    f.version,
    f.durability,
    f.category,
    f.confidence AS stored_confidence,
    f.effective_importance AS stored_effective_importance,
    f.importance,
    f.expires,
    read.problem,
    read.notice,
    read.past_deadline,
    taken.base,
    taken.anchor_at,
    taken.started_at,
    taken.anew,
    taken.policy_no,
    curve.half_life_s,
    curve.shape,
    curve.age_s,
    faded.survival,
    derived.value,
    derived.effective_importance,
    derived.new_confidence,
    derived.new_effective_importance,
    derived.new_confidence IS DISTINCT FROM f.confidence AS confidence_changed,
    derived.new_effective_importance IS DISTINCT FROM f.effective_importance AS importance_changed,
    read.problem IS NULL AND (
        (%(with_confidence)s AND taken.anew)
        OR (
            derived.new_confidence IS DISTINCT FROM f.confidence
            AND (
                abs(derived.new_confidence::float8 - coalesce(f.confidence::float8, 1)) >= %(min_delta)s::float8
                OR (derived.new_confidence::float8 < %(threshold)s::float8)
                    <> (coalesce(f.confidence::float8, 1) < %(threshold)s::float8)
            )
        )
        OR derived.new_effective_importance IS DISTINCT FROM f.effective_importance
    ) AS due
FROM {rows} AS f
CROSS JOIN LATERAL (
    SELECT
        CASE
            WHEN f.durability IS NULL OR f.category IS NULL THEN 'not classified yet'
            WHEN f.durability <> ALL (%(durabilities)s::text[]) THEN 'unknown durability'
            WHEN coalesce(f.confidence::float8, 1) NOT BETWEEN 0 AND 1
                THEN 'confidence is not between 0 and 1'
            WHEN f.confidence_base NOT BETWEEN 0 AND 1 THEN 'confidence_base is not between 0 and 1'
            WHEN f.decay_rate < 0 THEN 'decay_rate is negative'
            WHEN f.decay_rate >= 'infinity' THEN 'decay_rate is not a finite number'
            WHEN NOT isfinite(f.last_confirmed_at) THEN 'last_confirmed_at is infinite'
            WHEN NOT isfinite(f.learned_at) THEN 'learned_at is infinite'
            WHEN NOT isfinite(f.last_accessed_at) THEN 'last_accessed_at is infinite'
            WHEN NOT isfinite(f.confidence_anchor_at) THEN 'confidence_anchor_at is infinite'
            WHEN f.expires = '-infinity' THEN 'expires is infinite'
            WHEN f.importance NOT BETWEEN 1 AND 10 THEN 'importance is not between 1 and 10'
        END AS problem,
        CASE
            WHEN f.last_confirmed_at > %(as_of)s THEN 'last_confirmed_at is later than now'
            WHEN f.learned_at > %(as_of)s THEN 'learned_at is later than now'
            WHEN f.last_accessed_at > %(as_of)s THEN 'last_accessed_at is later than now'
        END AS notice,
        f.confidence_base IS NULL AS never_seen,
        f.confidence IS DISTINCT FROM f.confidence_written AS set_outside,
        coalesce(f.category = 'obligation' AND f.expires <= %(as_of)s, false) AS past_deadline,
        coalesce(f.category <> 'obligation' AND f.expires <= %(as_of)s, false) AS expired,
        CASE
            WHEN f.decay_rate > 0 THEN 59887.916400379276 / greatest(f.decay_rate, 1e-300)
            WHEN f.decay_rate = 0 THEN 'infinity'::float8
        END AS rate_half_life_s
    OFFSET 0
) AS read
CROSS JOIN LATERAL (
    SELECT
        base.value AS base,
        anchor.value AS anchor_at,
        least(greatest(anchor.value, f.last_confirmed_at), %(as_of)s) AS started_at,
        read.never_seen OR read.set_outside OR f.confidence_anchor_at IS NULL AS anew,
        CASE
            WHEN read.problem IS NOT NULL THEN 0
            WHEN f.pinned THEN 1
            WHEN read.expired THEN 2
            WHEN f.category = ANY (%(settled)s::text[])
                OR (f.category = 'obligation' AND NOT read.past_deadline AND %(obligation_waits)s)
                THEN %(first_category)s + array_position(%(categories)s::text[], f.category)
            WHEN f.decay_rate IS NOT NULL
                AND (f.category <> 'mood' OR read.rate_half_life_s < %(mood_half_life_s)s::float8) THEN 3
            WHEN read.past_deadline AND %(obligation_ends)s THEN 4
            ELSE coalesce(
                %(first_category)s + array_position(%(categories)s::text[], f.category),
                4 + array_position(%(durabilities)s::text[], f.durability::text)
            )
        END AS policy_no
    FROM (
        SELECT CASE
            WHEN read.never_seen OR read.set_outside THEN coalesce(f.confidence::float8, 1)
            ELSE f.confidence_base
        END AS value
    ) AS base
    CROSS JOIN LATERAL (
        SELECT CASE
            WHEN read.never_seen OR f.confidence_anchor_at IS NULL THEN greatest(
                least(coalesce(f.last_confirmed_at, f.learned_at, %(as_of)s), %(as_of)s),
                %(adopted_at)s::timestamptz
            )
            WHEN NOT read.set_outside THEN f.confidence_anchor_at
            WHEN f.last_confirmed_at > f.confidence_anchor_at
                AND f.last_confirmed_at > %(previous_pass_at)s::timestamptz
                THEN least(f.last_confirmed_at, %(as_of)s)
            ELSE %(as_of)s
        END AS value
    ) AS anchor
    OFFSET 0
) AS taken
CROSS JOIN LATERAL (
    SELECT
        CASE
            WHEN taken.policy_no = 3 THEN read.rate_half_life_s
            ELSE (%(half_lives)s::float8[])[taken.policy_no]
        END AS half_life_s,
        CASE WHEN taken.policy_no = 3 THEN 1 ELSE (%(shapes)s::float8[])[taken.policy_no] END AS shape,
        CASE
            WHEN read.problem IS NOT NULL THEN 0
            WHEN read.past_deadline THEN greatest(
                least(
                    date_part('epoch', %(as_of)s - taken.started_at),
                    date_part('epoch', %(as_of)s - f.expires) - %(grace_s)s::float8
                ),
                0
            )
            ELSE date_part('epoch', %(as_of)s - taken.started_at)
        END AS age_s,
        CASE
            WHEN read.problem IS NULL THEN %(as_of)s - least(updated.at, %(as_of)s)
        END AS since_update,
        CASE
            WHEN read.problem IS NULL
                THEN %(as_of)s - least(greatest(f.last_accessed_at, updated.at), %(as_of)s)
        END AS since_access
    FROM (
        SELECT CASE
            WHEN %(by_access)s
                THEN greatest(coalesce(f.last_confirmed_at, f.learned_at), f.last_accessed_at)
            ELSE coalesce(f.last_confirmed_at, f.learned_at)
        END AS at
    ) AS updated
    OFFSET 0
) AS curve
CROSS JOIN LATERAL (
    SELECT
        {survival}(curve.age_s, curve.half_life_s, curve.shape) AS survival,
        {survival}(
            date_part('epoch', curve.since_update),
            %(importance_half_life_s)s::float8,
            %(importance_shape)s::float8
        ) AS importance_survival,
        coalesce(f.importance, 5) AS importance,
        (%(tier_factors)s::float8[])[
            1 + width_bucket(
                coalesce(date_part('epoch', curve.since_access), 0), %(tier_ends)s::float8[]
            )
        ] AS boost
    OFFSET 0
) AS faded
CROSS JOIN LATERAL (
    SELECT
        now.value,
        now.effective_importance,
        CASE
            WHEN %(with_confidence)s AND read.problem IS NULL THEN now.value::{confidence_type}
            ELSE f.confidence
        END AS new_confidence,
        CASE
            WHEN %(with_importance)s AND read.problem IS NULL THEN now.effective_importance
            ELSE f.effective_importance
        END AS new_effective_importance
    FROM (
        SELECT
            CASE
                WHEN read.problem IS NOT NULL THEN NULL
                WHEN taken.policy_no = 2 THEN 0
                WHEN taken.base > 0 AND faded.survival >= {smallest} / taken.base
                    THEN taken.base * faded.survival
                ELSE 0
            END AS value,
            CASE
                WHEN read.problem IS NOT NULL THEN NULL
                WHEN f.pinned
                    OR f.durability = 'permanent'
                    OR f.category IN ('decision', 'routine')
                    OR (f.category = 'obligation' AND NOT read.past_deadline)
                    THEN faded.importance
                ELSE greatest(
                    1, round(faded.importance * faded.importance_survival * faded.boost)
                )::smallint
            END AS effective_importance
    ) AS now
    OFFSET 0
) AS derived
