-- Foreign tables of which a column stands for the column of a table of that schema and name, wherever that is.
-- Parameters: schema, table, column. Result: oid bigint; name, column, definition, server text; here bool: by a
-- connection to a database of this one's name; database text: its name, '' where the server names none. Locks: none.
SELECT
    c.oid::bigint AS oid,
    c.oid::regclass::text AS name,
    a.attname::text AS "column",
    format(
        'CREATE FOREIGN TABLE %%s (%%I %%s%%s, ...) SERVER %%I%%s',
        c.oid::regclass,
        a.attname,
        format_type(a.atttypid, a.atttypmod),
        ' OPTIONS (column_name ' || quote_literal(far.column_name) || ')',
        s.srvname,
        CASE
            WHEN far.schema_name IS NOT NULL OR far.table_name IS NOT NULL THEN
                ' OPTIONS ('
                || concat_ws(
                    ', ',
                    'schema_name ' || quote_literal(far.schema_name),
                    'table_name ' || quote_literal(far.table_name)
                )
                || ')'
        END
    ) AS definition,
    s.srvname::text AS server,
    w.fdwname = 'postgres_fdw' AND coalesce(far.database = current_database(), false) AS here,
    coalesce(far.database, '') AS database
FROM pg_catalog.pg_foreign_table AS f
JOIN pg_catalog.pg_class AS c ON c.oid = f.ftrelid
JOIN pg_catalog.pg_namespace AS n ON n.oid = c.relnamespace
JOIN pg_catalog.pg_foreign_server AS s ON s.oid = f.ftserver
JOIN pg_catalog.pg_foreign_data_wrapper AS w ON w.oid = s.srvfdw
JOIN pg_catalog.pg_attribute AS a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
CROSS JOIN LATERAL (
    SELECT
        (
            SELECT o.option_value FROM pg_options_to_table(f.ftoptions) AS o
            WHERE o.option_name = 'schema_name'
        ) AS schema_name,
        (
            SELECT o.option_value FROM pg_options_to_table(f.ftoptions) AS o
            WHERE o.option_name = 'table_name'
        ) AS table_name,
        (
            SELECT o.option_value FROM pg_options_to_table(a.attfdwoptions) AS o
            WHERE o.option_name = 'column_name'
        ) AS column_name,
        (
            SELECT o.option_value FROM pg_options_to_table(s.srvoptions) AS o
            WHERE o.option_name = 'dbname'
        ) AS database
) AS far
WHERE coalesce(far.table_name, c.relname) = %(table)s
    AND coalesce(far.column_name, a.attname) = %(column)s
    AND (
        coalesce(far.schema_name, n.nspname) = %(schema)s
        -- Only of postgres_fdw is it known that this is the schema where none is named.
        OR (w.fdwname <> 'postgres_fdw' AND far.schema_name IS NULL)
    )
ORDER BY 2, 3
