-- The column in the table and in its partitions or other descendants, and all that pg_depend records on it:
-- the common table expressions tree, col and dep, to follow WITH RECURSIVE.
-- Parameters: oid; column: exact name. Result: a fragment. Locks: none.
tree AS (
    SELECT %(oid)s::oid AS relid
    UNION
    SELECT i.inhrelid
    FROM pg_catalog.pg_inherits AS i
    JOIN tree ON tree.relid = i.inhparent
),
col AS (
    SELECT a.attrelid, a.attnum, a.attname, a.attacl
    FROM tree
    JOIN pg_catalog.pg_attribute AS a ON a.attrelid = tree.relid
    WHERE a.attname = %(column)s AND a.attnum > 0 AND NOT a.attisdropped
),
dep AS (
    SELECT DISTINCT d.classid, d.objid, d.objsubid, col.attrelid, col.attnum
    FROM col
    JOIN pg_catalog.pg_depend AS d
        ON d.refclassid = 'pg_catalog.pg_class'::regclass
        AND d.refobjid = col.attrelid
        AND d.refobjsubid = col.attnum
)
