-- The btree indexes of some tables that begin with an axis and have no condition.
-- Parameters: oids bigint[]: of the tables. Result: table_oid, oid bigint; schema, name, axis text; valid bool; exact
-- bool: nothing but the column, of its own order, so that a partitioned index of ours can take it in; parent
-- bigint: the partitioned index that has it, or NULL; building bool: another session is at it. Of a session whose
-- doings this role may not see, only the lock that a build holds on the table is known. Locks: none.
SELECT
    i.indrelid::bigint AS table_oid,
    i.indexrelid::bigint AS oid,
    n.nspname::text AS schema,
    c.relname::text AS name,
    a.attname::text AS axis,
    i.indisvalid AS valid,
    i.indnatts = 1
    AND NOT i.indisunique
    AND NOT i.indisexclusion
    AND i.indcollation[0] = a.attcollation
    AND EXISTS (
        SELECT FROM pg_catalog.pg_opclass AS d
        WHERE d.opcfamily = o.opcfamily AND d.opcdefault AND d.opcintype = 'pg_catalog.text'::regtype
    ) AS exact,
    h.inhparent::bigint AS parent,
    NOT i.indisvalid AND EXISTS (
        SELECT FROM pg_catalog.pg_stat_progress_create_index AS p
        WHERE p.pid <> pg_backend_pid()
            AND p.datname = current_database()
            AND (
                p.index_relid = i.indexrelid
                OR (p.relid = i.indrelid AND p.index_relid = 0)
                OR (
                    p.relid IS NULL
                    AND EXISTS (
                        SELECT FROM pg_catalog.pg_locks AS l
                        WHERE l.pid = p.pid
                            AND l.relation = i.indrelid
                            AND l.mode = 'ShareUpdateExclusiveLock'
                            AND l.granted
                    )
                )
            )
    ) AS building
FROM pg_catalog.pg_index AS i
JOIN pg_catalog.pg_class AS c ON c.oid = i.indexrelid
JOIN pg_catalog.pg_am AS m ON m.oid = c.relam
JOIN pg_catalog.pg_namespace AS n ON n.oid = c.relnamespace
JOIN pg_catalog.pg_attribute AS a ON a.attrelid = i.indrelid AND a.attnum = i.indkey[0]
JOIN pg_catalog.pg_opclass AS o ON o.oid = i.indclass[0]
LEFT JOIN pg_catalog.pg_inherits AS h ON h.inhrelid = i.indexrelid
WHERE i.indrelid = ANY (%(oids)s::bigint[]::oid[])
    AND m.amname = 'btree'
    AND i.indpred IS NULL
    AND a.attname IN ('durability', 'category')
ORDER BY c.relname
