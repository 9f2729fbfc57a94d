-- A zone-less column as an instant (spec 3). A fragment. What is so far out that no zone can shift it
-- (such as 294276-12-31) reads as infinite, hence as a data problem, where the cast would stop the batch.
-- Parameters: zone. Slots: column: a timestamp or date. Result: timestamptz.
CASE
    WHEN {column} < '4700-01-01 BC'::timestamp THEN '-infinity'::timestamptz
    WHEN {column} > '294000-01-01'::timestamp THEN 'infinity'::timestamptz
    ELSE {column}::timestamp AT TIME ZONE %(zone)s
END
