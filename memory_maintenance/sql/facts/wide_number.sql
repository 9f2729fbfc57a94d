-- A numeric column as double precision, where a value beyond its range would stop the batch (22003): too large or
-- NaN reads as infinity, hence as a data problem; too small reads as 0. A fragment.
-- Slots: column: a numeric expression. Result: float8.
CASE
    WHEN {column} BETWEEN -1e300 AND 1e300 THEN pg_catalog.round({column}, 300)::float8
    WHEN {column} IS NOT NULL THEN 'infinity'::float8
END
