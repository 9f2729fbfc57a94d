-- Confidence at the instant (spec 3): base * survival, 0 where that is below the smallest number of the column's
-- type, or the fact has expired. A fragment, of the stage faded. Slots: smallest.
CASE
            WHEN j.problem IS NOT NULL THEN NULL
            WHEN j.policy_no = 2 THEN 0
            WHEN j.base > 0::float8 AND j.survival >= {smallest} / j.base THEN j.base * j.survival
            ELSE 0
        END
