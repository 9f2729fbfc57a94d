-- Constraints that go with data_type and come back with it; NOT NULL comes back with the column.
-- Parameters: oid: of the table; oids bigint[]. Result: name, definition text; validated bool; comment text;
-- schema, relation text: of the partition that alone has it, else NULL. Locks: none.
SELECT
    k.conname::text AS name,
    pg_get_constraintdef(k.oid) AS definition,
    k.convalidated AS validated,
    obj_description(k.oid, 'pg_constraint') AS comment,
    CASE WHEN k.conrelid <> %(oid)s::oid THEN n.nspname::text END AS schema,
    CASE WHEN k.conrelid <> %(oid)s::oid THEN c.relname::text END AS relation
FROM pg_catalog.pg_constraint AS k
JOIN pg_catalog.pg_class AS c ON c.oid = k.conrelid
JOIN pg_catalog.pg_namespace AS n ON n.oid = c.relnamespace
WHERE k.oid::bigint = ANY (%(oids)s::bigint[]) AND k.contype <> 'n'
ORDER BY k.conrelid <> %(oid)s::oid, k.conname, k.oid
