-- The survival curve (spec 3): the one formula by which confidence and importance fade.
-- No parameters, no slots. Locks: none that others hold.
-- Inlined by the planner while it is LANGUAGE sql, IMMUTABLE, not STRICT, without SET, and one expression.
-- Its names are looked up by the caller's search_path, so that each is qualified; NULLIF, which finds its
-- operator by name, compares two of one type.
-- Bounds, so that no row can raise 22003: the ratio ends at 2^101, whose tenth power (the steepest shape) is
-- still a double and whose tenth root (the flattest) is beyond 1000; the exponent at 1000, from where on the
-- result is 0. A NULL age is 0, a NULL half-life never ends, a NULL shape is 1.
CREATE FUNCTION memory_maintenance.survival(
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
                        greatest(coalesce(age_s, 0), 0)
                            OPERATOR(pg_catalog./)
                            greatest(coalesce(half_life_s, 'infinity'::pg_catalog.float8), 1e-100),
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

COMMENT ON FUNCTION memory_maintenance.survival(double precision, double precision, double precision) IS
    'Fraction left after age_s seconds: 2 ^ -((age / half-life) ^ shape). 1 at age 0, 1/2 at the half-life. half_life_s > 0, infinity for never; shape 0.1 to 10.';
