-- Recall and the record of accesses (spec 4): functions that any program may call.
-- No parameters, no slots. Locks: none that others hold for longer than a write.
-- The table recall_plan holds, for each table of facts, the statements that these functions execute, composed from the
-- very projection that decay writes by, under the policy in force. What is executed with the caller's rights must come
-- from somebody whom the caller trusts: only the owner may write there, whatever rights others were granted.
-- record_access is SECURITY DEFINER, since those who read facts need no right to change them; it writes two columns.
CREATE TABLE memory_maintenance.recall_plan (
    table_name text PRIMARY KEY,
    digest text NOT NULL,
    config_hash text NOT NULL,
    facts_path text NOT NULL,
    by_text text NOT NULL,
    by_index text,
    by_distance text,
    iterative boolean NOT NULL,
    min_similarity double precision NOT NULL,
    min_text_similarity double precision NOT NULL,
    recording text NOT NULL,
    recording_free text NOT NULL,
    published_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    published_by text NOT NULL DEFAULT session_user
);

-- Read at each call: not compressed.
ALTER TABLE memory_maintenance.recall_plan ALTER COLUMN by_text SET STORAGE EXTERNAL;
ALTER TABLE memory_maintenance.recall_plan ALTER COLUMN by_index SET STORAGE EXTERNAL;
ALTER TABLE memory_maintenance.recall_plan ALTER COLUMN by_distance SET STORAGE EXTERNAL;

COMMENT ON TABLE memory_maintenance.recall_plan IS
    'How recall works on a table of facts: statements that are executed as they stand, with the policy of the last run in them. Only the owner may write here.';

CREATE FUNCTION memory_maintenance.refuse_plan() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    -- A GRANT on all tables of the schema is given for the sake of the ledger.
    IF NOT (SELECT pg_has_role(c.relowner, 'USAGE') FROM pg_class AS c WHERE c.oid = TG_RELID) THEN
        RAISE EXCEPTION USING
            ERRCODE = 'insufficient_privilege',
            MESSAGE = 'only the owner of memory_maintenance.recall_plan may write there: what it holds is executed';
    END IF;
    RETURN NEW;
END
$$;

CREATE TRIGGER refuse_plan BEFORE INSERT OR UPDATE ON memory_maintenance.recall_plan
FOR EACH ROW EXECUTE FUNCTION memory_maintenance.refuse_plan();

ALTER TABLE memory_maintenance.recall_plan ENABLE ALWAYS TRIGGER refuse_plan;

CREATE FUNCTION memory_maintenance.recall_plan_of(
    facts text,
    kind text DEFAULT NULL,
    OUT table_name text,
    OUT facts_path text,
    OUT embedded boolean,
    OUT iterative boolean,
    OUT min_similarity double precision,
    OUT min_text_similarity double precision,
    OUT statement text,
    OUT tables bigint
)
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    SELECT
        -- Temporary types of the caller's would come before all others, where pg_temp isn't named: their CHECKs are code.
        p.table_name, p.facts_path || ', pg_temp', p.by_index IS NOT NULL, p.iterative, p.min_similarity, p.min_text_similarity,
        CASE kind
            WHEN 'by_index' THEN p.by_index
            WHEN 'by_distance' THEN p.by_distance
            WHEN 'by_text' THEN p.by_text
            WHEN 'recording' THEN p.recording
            WHEN 'recording_free' THEN p.recording_free
        END,
        -- A table that was dropped or renamed leaves its plan behind.
        count(*) FILTER (WHERE to_regclass(p.table_name) IS NOT NULL) OVER ()
    INTO
        table_name, facts_path, embedded, iterative, min_similarity, min_text_similarity, statement, tables
    FROM memory_maintenance.recall_plan AS p
    WHERE facts IS NULL OR p.table_name IN (facts, 'public.' || facts)
    ORDER BY p.table_name = facts DESC, to_regclass(p.table_name) IS NOT NULL DESC
    LIMIT 1;
    IF tables IS NULL THEN
        RAISE EXCEPTION USING
            ERRCODE = 'undefined_object',
            MESSAGE = concat('no policy was published yet for the table of facts', ' ' || facts),
            HINT = 'memory-maintenance migrate-types or decay, as the owner of the schema memory_maintenance, publishes it.';
    ELSIF tables > 1 AND facts IS NULL THEN
        RAISE EXCEPTION USING
            ERRCODE = 'invalid_parameter_value',
            MESSAGE = 'there are several tables of facts: say which one is meant',
            HINT = 'facts => ''public.entity_facts''';
    END IF;
END
$$;

COMMENT ON FUNCTION memory_maintenance.recall_plan_of(text, text) IS
    'What is published for a table of facts, named as schema.table; NULL for the only one there is. kind: which statement.';

CREATE FUNCTION memory_maintenance.record_access(
    facts text, keys text[], at timestamptz DEFAULT now()
) RETURNS text[]
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
SET standard_conforming_strings = on
SET lock_timeout = '250ms'
AS $$
DECLARE
    plan record := memory_maintenance.recall_plan_of(facts, 'recording');
    -- Never later than now: a clock that runs ahead would keep a fact fresh for ever.
    moment constant timestamptz := least(coalesce(at, clock_timestamp()), clock_timestamp());
    recorded text[] := ARRAY[]::text[];
BEGIN
    IF NOT isfinite(moment) OR at = 'infinity' THEN
        RAISE EXCEPTION USING
            ERRCODE = 'invalid_parameter_value', MESSAGE = 'an access has a finite instant';
    END IF;
    IF current_setting('transaction_read_only')::boolean THEN
        RAISE NOTICE USING MESSAGE = 'the accesses are not recorded: the transaction, or the server, is read-only';
        RETURN recorded;
    END IF;
    -- What others attached to the table finds what its writers' sessions find. Ends with the function.
    PERFORM set_config('search_path', plan.facts_path, true);
    BEGIN
        EXECUTE plan.statement INTO recorded USING keys, moment;
        RETURN coalesce(recorded, ARRAY[]::pg_catalog.text[]);
    EXCEPTION
        -- Somebody holds one of the rows: whoever reads is not kept waiting for the sake of a count.
        WHEN lock_not_available OR deadlock_detected OR serialization_failure THEN
            NULL;
    END;
    plan := memory_maintenance.recall_plan_of(facts, 'recording_free');
    BEGIN
        EXECUTE plan.statement INTO recorded USING keys, moment;
    EXCEPTION
        WHEN lock_not_available OR deadlock_detected OR serialization_failure THEN
            NULL;
    END;
    recorded := coalesce(recorded, ARRAY[]::pg_catalog.text[]);
    IF pg_catalog.cardinality(recorded) OPERATOR(pg_catalog.<) pg_catalog.cardinality(keys) THEN
        RAISE WARNING USING
            MESSAGE = pg_catalog.concat(
                'of ', pg_catalog.cardinality(keys), ' accesses ', pg_catalog.cardinality(recorded),
                ' were recorded: other transactions hold the rows of the rest'
            );
    END IF;
    RETURN recorded;
END
$$;

COMMENT ON FUNCTION memory_maintenance.record_access(text, text[], timestamptz) IS
    'Records that facts were retrieved: last_accessed_at, never moved back, and access_count + 1. Gives the keys that were recorded. Waits 0.25 s for a row that somebody holds, then leaves it.';

CREATE FUNCTION memory_maintenance.recall(
    query_embedding text DEFAULT NULL,
    query_text text DEFAULT NULL,
    k integer DEFAULT 10,
    facts text DEFAULT NULL,
    viewer text DEFAULT NULL,
    visibility text[] DEFAULT NULL,
    categories text[] DEFAULT NULL,
    durabilities text[] DEFAULT NULL,
    min_similarity double precision DEFAULT NULL,
    record boolean DEFAULT true,
    as_of timestamptz DEFAULT now(),
    explain boolean DEFAULT false,
    candidates integer DEFAULT 20
) RETURNS TABLE (
    id text,
    key text,
    value text,
    category text,
    durability text,
    similarity double precision,
    importance integer,
    effective_importance integer,
    score double precision,
    explanation jsonb
)
LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp
SET standard_conforming_strings = on
SET DateStyle = 'ISO'
SET extra_float_digits = 1
SET plan_cache_mode = force_generic_plan
AS $$
#variable_conflict use_variable
DECLARE
    kind text := CASE WHEN query_embedding IS NULL THEN 'by_text' ELSE 'by_index' END;
    plan record := memory_maintenance.recall_plan_of(facts, kind);
    gate constant double precision := coalesce(
        min_similarity,
        CASE WHEN query_embedding IS NULL THEN plan.min_text_similarity ELSE plan.min_similarity END
    );
    name text;
    preparing text;
    former text;
    hnsw_before text;
    ivfflat_before text;
    round integer := 1;
    -- Where every fact is compared, more of them cost little.
    many constant integer := greatest(candidates, 2 * k, 1000);
    wanted integer := CASE WHEN query_embedding IS NULL THEN many ELSE greatest(candidates, 2 * k, 20) END;
    ranked record;
BEGIN
    IF num_nonnulls(query_embedding, query_text) <> 1 THEN
        RAISE EXCEPTION USING
            ERRCODE = 'invalid_parameter_value', MESSAGE = 'recall takes query_embedding or query_text, one of the two';
    ELSIF k IS NULL OR k NOT BETWEEN 1 AND 1000 THEN
        RAISE EXCEPTION USING ERRCODE = 'invalid_parameter_value', MESSAGE = 'k is 1 to 1000';
    ELSIF NOT gate BETWEEN 0 AND 1 THEN
        RAISE EXCEPTION USING ERRCODE = 'invalid_parameter_value', MESSAGE = 'min_similarity is 0 to 1';
    ELSIF candidates NOT BETWEEN 1 AND 10000 THEN
        RAISE EXCEPTION USING ERRCODE = 'invalid_parameter_value', MESSAGE = 'candidates is 1 to 10000';
    ELSIF as_of IS NULL OR NOT isfinite(as_of) THEN
        RAISE EXCEPTION USING ERRCODE = 'invalid_parameter_value', MESSAGE = 'as_of is a finite instant';
    ELSIF query_embedding IS NOT NULL AND NOT plan.embedded THEN
        RAISE EXCEPTION USING
            ERRCODE = 'undefined_table',
            MESSAGE = concat('there are no embeddings beside ', plan.table_name, ' to compare with'),
            DETAIL = 'A table memory_embeddings is needed, in the same schema or in public, of the same owner, with a column '
                'embedding of pgvector''s type vector.',
            HINT = 'Give query_text. Once the table is there, memory-maintenance decay publishes how it is used.';
    ELSIF ltrim(left(query_embedding, 40), E'[0.,+- \t\n\r') IN ('', ']')
        AND ltrim(query_embedding, E'[0.,+- \t\n\r') IN ('', ']') THEN
        RAISE EXCEPTION USING
            ERRCODE = 'invalid_parameter_value', MESSAGE = 'the query embedding is zero: it has no direction';
    END IF;
    IF query_embedding IS NOT NULL AND plan.iterative THEN
        hnsw_before := current_setting('hnsw.iterative_scan', true);
        ivfflat_before := current_setting('ivfflat.iterative_scan', true);
        PERFORM set_config('hnsw.iterative_scan', 'strict_order', true);
        PERFORM set_config('ivfflat.iterative_scan', 'relaxed_order', true);
    END IF;
    -- What others attached to the table finds what its writers' sessions find. Ends with the function.
    PERFORM set_config('search_path', plan.facts_path, true);
    LOOP
        name := pg_catalog.concat('memory_maintenance.recall ', pg_catalog.md5(pg_catalog.concat(kind, ' ', plan.table_name)));
        preparing := pg_catalog.concat(
            'PREPARE ', pg_catalog.quote_ident(name), ' (unknown, pg_catalog.int4, pg_catalog.timestamptz, pg_catalog.text, '
            'pg_catalog.text[], pg_catalog.text[], pg_catalog.text[], pg_catalog.float8, pg_catalog.int4, pg_catalog.bool) AS ',
            plan.statement
        );
        SELECT p.statement INTO former
        FROM pg_catalog.pg_prepared_statements AS p
        WHERE p.name OPERATOR(pg_catalog.=) name;
        -- The text is compared: the name may have been taken by whoever uses the session.
        IF former OPERATOR(pg_catalog.<>) preparing THEN
            EXECUTE pg_catalog.concat('DEALLOCATE ', pg_catalog.quote_ident(name));
            former := NULL;
        END IF;
        IF former IS NULL THEN
            EXECUTE preparing;
        END IF;
        EXECUTE pg_catalog.concat(
            'EXECUTE ', pg_catalog.quote_ident(name), '(',
            pg_catalog.quote_literal(coalesce(query_embedding, query_text)), ', ', wanted, ', ',
            pg_catalog.quote_literal(as_of), ', ', pg_catalog.quote_nullable(viewer), ', ',
            pg_catalog.quote_literal(pg_catalog.array_append(visibility, 'public')), ', ',
            pg_catalog.quote_nullable(categories), ', ', pg_catalog.quote_nullable(durabilities), ', ',
            pg_catalog.quote_literal(gate), ', ', k, ', ', pg_catalog.quote_literal(coalesce(explain, false)), ')'
        ) INTO ranked;
        -- What is beyond the last candidate is no nearer.
        EXIT WHEN pg_catalog.cardinality(ranked.ids) OPERATOR(pg_catalog.=) k
            OR ranked.lowest OPERATOR(pg_catalog.<) gate
            OR (kind OPERATOR(pg_catalog.<>) 'by_index' AND ranked.returned OPERATOR(pg_catalog.<) wanted);
        IF kind OPERATOR(pg_catalog.=) 'by_index'
            AND (ranked.returned OPERATOR(pg_catalog.<) wanted OR round OPERATOR(pg_catalog.=) 3) THEN
            -- The index gives no more, or the filters leave so little that it is read in vain.
            kind := 'by_distance';
            plan := memory_maintenance.recall_plan_of(plan.table_name, kind);
            wanted := greatest(wanted, many);
            PERFORM pg_catalog.set_config('plan_cache_mode', 'force_custom_plan', true);
        ELSE
            wanted := least(4::pg_catalog.int8 OPERATOR(pg_catalog.*) wanted, 2147483647);
        END IF;
        round := round OPERATOR(pg_catalog.+) 1;
    END LOOP;
    IF query_embedding IS NOT NULL AND plan.iterative THEN
        PERFORM pg_catalog.set_config('hnsw.iterative_scan', coalesce(hnsw_before, 'off'), true);
        PERFORM pg_catalog.set_config('ivfflat.iterative_scan', coalesce(ivfflat_before, 'off'), true);
    END IF;
    IF record AND ranked.ids IS NOT NULL THEN
        PERFORM memory_maintenance.record_access(plan.table_name, ranked.ids, as_of);
    END IF;
    RETURN QUERY
    SELECT r.id, r.key, r.value, r.category, r.durability, r.similarity, r.importance, r.effective_importance, r.score, r.explanation
    FROM pg_catalog.unnest(ranked.facts) AS r (
        id text, key text, value text, category text, durability text, similarity pg_catalog.float8, importance pg_catalog.int4,
        effective_importance pg_catalog.int4, score pg_catalog.float8, explanation pg_catalog.jsonb
    );
END
$$;

COMMENT ON FUNCTION memory_maintenance.recall(
    text, text, integer, text, text, text[], text[], text[], double precision, boolean, timestamptz, boolean, integer
) IS 'The facts nearest to a query, ranked by similarity and importance at the instant, best first. As the caller may read them; public ones unless a viewer or a visibility is named.';

REVOKE ALL ON FUNCTION memory_maintenance.refuse_plan() FROM PUBLIC;
REVOKE ALL ON FUNCTION memory_maintenance.recall_plan_of(text, text) FROM PUBLIC;
REVOKE ALL ON FUNCTION memory_maintenance.record_access(text, text[], timestamptz) FROM PUBLIC;
REVOKE ALL ON FUNCTION memory_maintenance.recall(
    text, text, integer, text, text, text[], text[], text[], double precision, boolean, timestamptz, boolean, integer
) FROM PUBLIC;
