-- A table by schema and name, with what we rely on.
-- Parameters: schema, table: exact names. Result: at most one row; can_update: on the table, or on each column
-- that decay writes. Locks: none.
SELECT
    c.oid::bigint AS oid,
    c.relkind::text AS kind,
    pg_get_userbyid(c.relowner)::text AS owner,
    pg_has_role(c.relowner, 'USAGE') AS owned,
    has_table_privilege(c.oid, 'SELECT') AS can_select,
    has_table_privilege(c.oid, 'UPDATE') OR (
        has_any_column_privilege(c.oid, 'UPDATE') AND NOT EXISTS (
            SELECT FROM pg_catalog.pg_attribute AS a
            WHERE a.attrelid = c.oid
                AND a.attname::text = ANY (
                    '{{confidence,confidence_base,confidence_anchor_at,confidence_written,effective_importance}}'::text[]
                )
                AND NOT has_column_privilege(c.oid, a.attnum, 'UPDATE')
        )
    ) AS can_update,
    ARRAY(
        SELECT a.attname::text
        FROM pg_catalog.pg_index AS i
        CROSS JOIN LATERAL unnest(i.indkey::int2[]) WITH ORDINALITY AS k (attnum, place)
        JOIN pg_catalog.pg_attribute AS a ON a.attrelid = i.indrelid AND a.attnum = k.attnum
        WHERE i.indrelid = c.oid AND i.indisprimary
        ORDER BY k.place
    ) AS key_columns,
    c.reltuples::float8 AS row_estimate,
    c.relispartition AS is_partition,
    row_security_active(c.oid) AS rows_hidden,
    c.relkind <> 'p' AND EXISTS (
        SELECT FROM pg_catalog.pg_inherits AS h WHERE h.inhparent = c.oid
    ) AS has_children
FROM pg_catalog.pg_class AS c
JOIN pg_catalog.pg_namespace AS n ON n.oid = c.relnamespace
WHERE n.nspname = %(schema)s AND c.relname = %(table)s AND c.relkind IN ('r', 'p', 'v', 'm', 'f')
