-- How a score came about, of a ranked fact s, as jsonb. A fragment.
-- Parameters: those of facts/projection and recall/ranked. Slots: survival: the function.
pg_catalog.jsonb_build_object(
    'min_similarity'::text, %(gate)s::float8,
    'weight'::text, s.weight,
    'category_weight'::text, s.category_weight,
    'exempt'::text, s.exempt,
    'clock'::text, CASE WHEN %(by_access)s THEN 'accessed'::text ELSE 'confirmed'::text END,
    'days_since_update'::text, s.update_age_s / 86400::float8,
    'days_since_access'::text, s.access_age_s / 86400::float8,
    'fading'::text, CASE
        WHEN s.problem IS NULL AND NOT s.exempt
            THEN {survival}(s.update_age_s, %(importance_half_life_s)s::float8, %(importance_shape)s::float8)
    END,
    'access_boost'::text, CASE
        WHEN s.problem IS NULL AND NOT s.exempt
            THEN (%(tier_factors)s::float8[])[
                1 + pg_catalog.width_bucket(s.access_age_s, %(tier_ends)s::float8[])
            ]
    END,
    'problem'::text, s.problem
)
