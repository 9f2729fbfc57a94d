-- Privileges on the column alone, a row for each grantee.
-- Parameters: oid, column. Slots: columns (audit/columns). Result: kind, name, definition, why text; oid bigint
-- (NULL); owned bool. Locks: none.
WITH RECURSIVE {columns},
one AS (
    SELECT
        col.attrelid,
        g.grantee,
        g.is_grantable,
        string_agg(
            DISTINCT format('%%s (%%I)', g.privilege_type, %(column)s::text), ', '
        ) AS privileges
    FROM col
    CROSS JOIN LATERAL aclexplode(col.attacl) AS g
    GROUP BY 1, 2, 3
)
SELECT
    'column grant' AS kind,
    format('%%s on %%s', r.role, one.attrelid::regclass) AS name,
    string_agg(
        format('GRANT %%s ON %%s TO %%s', one.privileges, one.attrelid::regclass, r.role)
        || CASE WHEN one.is_grantable THEN ' WITH GRANT OPTION' ELSE '' END,
        '; ' ORDER BY one.is_grantable
    ) AS definition,
    format('%%s was granted rights on %%s alone', r.role, %(column)s::text) AS why,
    NULL::bigint AS oid,
    false AS owned
FROM one
CROSS JOIN LATERAL (
    SELECT CASE one.grantee WHEN 0 THEN 'PUBLIC' ELSE quote_ident(pg_get_userbyid(one.grantee)) END
) AS r (role)
GROUP BY one.attrelid, r.role
ORDER BY 2
