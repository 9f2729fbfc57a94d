-- What anyone who may create in public can put there, against whoever has it in the search path: an operator
-- and a function for every pair of types for which pg_catalog has none that fits exactly. Each raises.
-- Parameters: names of functions, as text[], by a setting: the statement is a DO block.
-- One of each sort is created, and its row in the catalog repeated: to create 30,000 objects one by one takes
-- longer than all that is tested with them.

DO $block$
DECLARE
    types constant regtype[] := ARRAY[
        'text', 'varchar', 'bpchar', '"char"', 'name', 'float8', 'float4', 'int2', 'int4', 'int8', 'numeric', 'bool',
        'timestamptz', 'timestamp', 'date', 'interval', 'jsonb', 'tid', 'uuid', 'text[]', 'varchar[]', 'float8[]',
        'int4[]', 'int8[]', 'uuid[]'
    ]::regtype[];
    comparing constant text[] := ARRAY['=', '<>', '<', '<=', '>', '>=', '~~'];
    reckoning constant text[] := ARRAY['+', '-', '*', '/', '||', '->', '->>'];
    functions constant text[] := current_setting('mm_test.functions')::text[];
    binary_functions constant text[] := ARRAY(
        SELECT DISTINCT p.proname::text FROM pg_catalog.pg_proc AS p
        WHERE p.proname::text = ANY (functions) AND (p.pronargs > 1 OR p.provariadic <> 0)
    );
BEGIN
    PERFORM set_config('search_path', 'pg_catalog, pg_temp', true);
    PERFORM set_config('allow_system_table_mods', 'on', true);
    CREATE FUNCTION public.hijacking(tid) RETURNS tid
        LANGUAGE plpgsql IMMUTABLE AS 'BEGIN RAISE EXCEPTION $$hijacked$$; END';
    CREATE FUNCTION public.hijacking(tid, tid) RETURNS tid
        LANGUAGE plpgsql IMMUTABLE AS 'BEGIN RAISE EXCEPTION $$hijacked$$; END';
    CREATE OPERATOR public.@@@ (LEFTARG = tid, RIGHTARG = tid, FUNCTION = public.hijacking);

    INSERT INTO pg_proc
    SELECT made.*
    FROM (
        SELECT
            c.called,
            concat_ws(' ', c.l::oid, c.r::oid) AS arguments,
            c.result::oid AS result,
            (SELECT max(p.oid)::bigint FROM pg_proc AS p) + row_number() OVER () AS oid,
            (format(
                'public.hijacking(%s)', CASE WHEN c.r IS NULL THEN 'tid' ELSE 'tid, tid' END
            )::regprocedure) AS pattern
        FROM (
            SELECT u.called, l, NULL::regtype AS r, l AS result
            FROM unnest(functions) AS u (called), unnest(types) AS l
            UNION ALL
            SELECT u.called, l, r, l
            FROM unnest(binary_functions || 'reckoned'::text) AS u (called), unnest(types) AS l, unnest(types) AS r
            UNION ALL
            SELECT 'compared', l, r, 'bool' FROM unnest(types) AS l, unnest(types) AS r
        ) AS c
    ) AS n
    JOIN pg_proc AS p ON p.oid = n.pattern
    CROSS JOIN LATERAL jsonb_populate_record(
        p,
        jsonb_build_object(
            'oid', n.oid, 'proname', n.called, 'proargtypes', n.arguments, 'prorettype', n.result
        )
    ) AS made;

    INSERT INTO pg_operator
    SELECT made.*
    FROM (
        SELECT
            u.called,
            l,
            r,
            f.oid AS function,
            f.prorettype AS result,
            (SELECT max(o.oid)::bigint FROM pg_operator AS o) + row_number() OVER () AS oid
        FROM unnest(comparing || reckoning) AS u (called)
        CROSS JOIN unnest(types) AS l
        CROSS JOIN unnest(types) AS r
        JOIN pg_proc AS f
            ON f.pronamespace = 'public'::regnamespace
            AND f.proname = CASE WHEN u.called = ANY (comparing) THEN 'compared' ELSE 'reckoned' END
            AND f.proargtypes::text = concat_ws(' ', l::oid, r::oid)
        WHERE NOT EXISTS (
            SELECT FROM pg_operator AS o
            WHERE o.oprnamespace = 'pg_catalog'::regnamespace
                AND o.oprname = u.called
                AND o.oprleft = l
                AND o.oprright = r
        )
    ) AS n
    JOIN pg_operator AS p ON p.oprcode = 'public.hijacking(tid, tid)'::regprocedure
    CROSS JOIN LATERAL jsonb_populate_record(
        p,
        jsonb_build_object(
            'oid', n.oid, 'oprname', n.called, 'oprleft', n.l::oid, 'oprright', n.r::oid,
            'oprresult', n.result, 'oprcode', n.function::oid
        )
    ) AS made;

    DROP OPERATOR public.@@@ (tid, tid);
    DROP FUNCTION public.hijacking(tid, tid);
    DROP FUNCTION public.hijacking(tid);
END
$block$
