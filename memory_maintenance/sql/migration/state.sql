-- What of the migration is there already, beside the columns.
-- Parameters: oid. Result: constraints text[]: names; unvalidated text[]: those not yet validated; triggers
-- text[]: names of ours; disabled text[]: those that don't fire; map_argument text: the map that our triggers carry, or NULL;
-- other_arguments text[]: what comes after it; update_form text: the last argument of those for UPDATE. Locks: none.
SELECT
    ARRAY(
        SELECT c.conname::text FROM pg_catalog.pg_constraint AS c
        WHERE c.conrelid = %(oid)s::oid ORDER BY c.conname
    ) AS constraints,
    ARRAY(
        SELECT c.conname::text FROM pg_catalog.pg_constraint AS c
        WHERE c.conrelid = %(oid)s::oid AND NOT c.convalidated ORDER BY c.conname
    ) AS unvalidated,
    ARRAY(
        SELECT t.tgname::text FROM pg_catalog.pg_trigger AS t
        WHERE t.tgrelid = %(oid)s::oid AND NOT t.tgisinternal AND t.tgname LIKE 'memory\_maintenance\_%%'
        ORDER BY t.tgname
    ) AS triggers,
    ARRAY(
        SELECT t.tgname::text FROM pg_catalog.pg_trigger AS t
        WHERE t.tgrelid = %(oid)s::oid
            AND NOT t.tgisinternal
            AND t.tgname LIKE 'memory\_maintenance\_%%'
            AND t.tgenabled NOT IN ('O', 'A')
        ORDER BY t.tgname
    ) AS disabled,
    ARRAY(
        SELECT convert_from(decode(a.argument, 'escape'), pg_catalog.getdatabaseencoding())
        FROM pg_catalog.pg_trigger AS t
        CROSS JOIN LATERAL string_to_array(
            encode(substring(t.tgargs FROM position('\x00'::bytea IN t.tgargs) + 1), 'escape'), '\000'
        ) AS s (arguments)
        CROSS JOIN LATERAL unnest(s.arguments) WITH ORDINALITY AS a (argument, place)
        WHERE t.tgrelid = %(oid)s::oid
            AND t.tgname = 'memory_maintenance_10_map_insert'
            AND a.place < t.tgnargs
        ORDER BY a.place
    ) AS other_arguments,
    (
        SELECT (string_to_array(encode(t.tgargs, 'escape'), '\000'))[t.tgnargs]
        FROM pg_catalog.pg_trigger AS t
        WHERE t.tgrelid = %(oid)s::oid AND t.tgname = 'memory_maintenance_10_map_update'
    ) AS update_form,
    (
        SELECT convert_from(
            substring(t.tgargs FROM 1 FOR position('\x00'::bytea IN t.tgargs) - 1),
            pg_catalog.getdatabaseencoding()
        )
        FROM pg_catalog.pg_trigger AS t
        WHERE t.tgrelid = %(oid)s::oid AND t.tgname = 'memory_maintenance_10_map_insert'
    ) AS map_argument
