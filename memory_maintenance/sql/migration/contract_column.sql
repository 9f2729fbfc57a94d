-- What there is to be said of data_type, for rollback, beside its default. Parameters: oid: of the table.
-- Result: at most one row: type text; collation text, not_null bool; not_null_name text (from 18 on);
-- comment text; grants text[]: whole statements; statistics int; storage text; options text[]. Locks: none.
SELECT
    format_type(a.atttypid, a.atttypmod) AS type,
    (
        SELECT format('%%I.%%I', n.nspname, c.collname)
        FROM pg_catalog.pg_collation AS c
        JOIN pg_catalog.pg_namespace AS n ON n.oid = c.collnamespace
        WHERE c.oid = a.attcollation AND a.attcollation <> t.typcollation
    ) AS collation,
    a.attnotnull AS not_null,
    (
        SELECT k.conname::text FROM pg_catalog.pg_constraint AS k
        WHERE k.conrelid = a.attrelid AND k.contype = 'n' AND k.conkey = ARRAY[a.attnum]
    ) AS not_null_name,
    col_description(a.attrelid, a.attnum) AS comment,
    ARRAY(
        SELECT format(
            'GRANT %%s (data_type) ON %%s TO %%s%%s',
            string_agg(g.privilege_type, ' (data_type), ' ORDER BY g.privilege_type),
            a.attrelid::regclass,
            CASE g.grantee WHEN 0 THEN 'PUBLIC' ELSE quote_ident(pg_get_userbyid(g.grantee)) END,
            CASE WHEN g.is_grantable THEN ' WITH GRANT OPTION' ELSE '' END
        )
        FROM aclexplode(a.attacl) AS g
        GROUP BY g.grantee, g.is_grantable
        ORDER BY 1
    ) AS grants,
    nullif(a.attstattarget, -1)::int AS statistics,
    CASE
        WHEN a.attstorage <> t.typstorage THEN
            CASE a.attstorage
                WHEN 'p' THEN 'PLAIN' WHEN 'e' THEN 'EXTERNAL' WHEN 'm' THEN 'MAIN' ELSE 'EXTENDED'
            END
    END AS storage,
    coalesce(a.attoptions, '{{}}'::text[]) AS options
FROM pg_catalog.pg_attribute AS a
JOIN pg_catalog.pg_type AS t ON t.oid = a.atttypid
WHERE a.attrelid = %(oid)s::oid AND a.attname = 'data_type' AND NOT a.attisdropped
