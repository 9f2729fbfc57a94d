-- The survival curve again (0002), for servers before 14: there a number divided by infinity raises 22003, so that no
-- fact of a policy without half-life could be reckoned.
-- No parameters, no slots. Locks: none that others hold. What stands in 0002 about inlining and bounds holds here.
-- A half-life without end isn't divided by: the ratio is 0.
CREATE OR REPLACE FUNCTION memory_maintenance.survival(
    age_s double precision, half_life_s double precision, shape double precision DEFAULT 1
) RETURNS double precision
LANGUAGE sql IMMUTABLE PARALLEL SAFE
AS $$
SELECT coalesce(
    pg_catalog.power(
        2::pg_catalog.float8,
        OPERATOR(pg_catalog.-) nullif(
            least(
                pg_catalog.power(
                    least(
                        coalesce(
                            greatest(coalesce(age_s, 0), 0)
                                OPERATOR(pg_catalog./) nullif(
                                    greatest(coalesce(half_life_s, 'infinity'::pg_catalog.float8), 1e-100),
                                    'infinity'::pg_catalog.float8
                                ),
                            0
                        ),
                        2535301200456458802993406410752::pg_catalog.float8
                    ),
                    coalesce(shape, 1)
                ),
                1000
            ),
            1000::pg_catalog.float8
        )
    ),
    0
)
$$;
