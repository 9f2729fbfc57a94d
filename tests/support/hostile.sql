-- What anyone who may create in public can put there, against whoever has it in the search path: an operator
-- and a function for every pair of types for which pg_catalog has none that fits exactly. Each raises.
-- Parameters: names of functions, as text[], by a setting: the statement is a DO block.

DO $block$
DECLARE
    types constant text[] := ARRAY[
        'text', 'varchar', 'bpchar', '"char"', 'name', 'float8', 'float4', 'int2', 'int4', 'int8', 'numeric', 'bool',
        'timestamptz', 'timestamp', 'date', 'interval', 'jsonb', 'tid', 'uuid', 'text[]', 'varchar[]', 'float8[]',
        'int4[]', 'int8[]', 'uuid[]'
    ];
    comparing constant text[] := ARRAY['=', '<>', '<', '<=', '>', '>=', '~~'];
    reckoning constant text[] := ARRAY['+', '-', '*', '/', '||', '->', '->>'];
    functions constant text[] := current_setting('mm_test.functions')::text[];
    binary_functions constant text[] := ARRAY(
        SELECT DISTINCT p.proname::text FROM pg_catalog.pg_proc AS p
        WHERE p.proname::text = ANY (functions) AND (p.pronargs > 1 OR p.provariadic <> 0)
    );
    body constant text := 'LANGUAGE plpgsql IMMUTABLE AS ''BEGIN RAISE EXCEPTION $$hijacked$$; END''';
    l text;
    r text;
    called text;
BEGIN
    PERFORM set_config('search_path', 'pg_catalog, pg_temp', true);
    PERFORM set_config('check_function_bodies', 'off', true);
    FOREACH l IN ARRAY types LOOP
        FOREACH called IN ARRAY functions LOOP
            EXECUTE format('CREATE FUNCTION public.%I(%s) RETURNS %s %s', called, l, l, body);
        END LOOP;
        FOREACH r IN ARRAY types LOOP
            FOREACH called IN ARRAY binary_functions LOOP
                EXECUTE format('CREATE FUNCTION public.%I(%s, %s) RETURNS %s %s', called, l, r, l, body);
            END LOOP;
            EXECUTE format('CREATE FUNCTION public.compared(%s, %s) RETURNS bool %s', l, r, body);
            EXECUTE format('CREATE FUNCTION public.reckoned(%s, %s) RETURNS %s %s', l, r, l, body);
            FOREACH called IN ARRAY comparing || reckoning LOOP
                CONTINUE WHEN EXISTS (
                    SELECT FROM pg_operator AS o
                    WHERE o.oprnamespace = 'pg_catalog'::regnamespace
                        AND o.oprname = called
                        AND o.oprleft = l::regtype
                        AND o.oprright = r::regtype
                );
                EXECUTE format(
                    'CREATE OPERATOR public.%s (LEFTARG = %s, RIGHTARG = %s, FUNCTION = public.%s)',
                    called, l, r, CASE WHEN called = ANY (comparing) THEN 'compared' ELSE 'reckoned' END
                );
            END LOOP;
        END LOOP;
    END LOOP;
END
$block$
