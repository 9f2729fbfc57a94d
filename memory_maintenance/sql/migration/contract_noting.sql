-- The trigger that notes keys, on a table and its partitions. Parameters: oid; name; key, columns: its arguments.
-- Result: at most one row: version text: another one after each change of the trigger, and after it was disabled
-- and enabled; always bool: whether it fires in every session; same bool: whether it has these arguments. Locks: none.
WITH RECURSIVE tree AS (
    SELECT %(oid)s::oid AS relid
    UNION
    SELECT i.inhrelid
    FROM pg_catalog.pg_inherits AS i
    JOIN tree ON tree.relid = i.inhparent
),
found AS (
    SELECT
        t.oid,
        t.xmin,
        t.tgenabled,
        t.tgargs = convert_to(%(key)s, pg_catalog.getdatabaseencoding()) || '\x00'::bytea
            || convert_to(%(columns)s, pg_catalog.getdatabaseencoding()) || '\x00'::bytea AS same
    FROM pg_catalog.pg_trigger AS t
    JOIN tree ON tree.relid = t.tgrelid
    WHERE t.tgname = %(name)s
)
SELECT
    string_agg(concat_ws('.', f.oid, f.xmin), ' ' ORDER BY f.oid) AS version,
    bool_and(f.tgenabled = 'A') AS always,
    bool_and(f.same) AS same
FROM found AS f
HAVING count(*) > 0
