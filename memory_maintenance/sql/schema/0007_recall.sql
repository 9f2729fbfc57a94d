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
    ranking text NOT NULL,
    by_text text NOT NULL,
    by_index text,
    by_distance text,
    dimensions integer,
    iterative boolean NOT NULL,
    min_similarity double precision NOT NULL,
    min_text_similarity double precision NOT NULL,
    recording text NOT NULL,
    recording_free text NOT NULL,
    published_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    published_by text NOT NULL DEFAULT session_user
);

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

CREATE FUNCTION memory_maintenance.recall_plan_of(facts text) RETURNS memory_maintenance.recall_plan
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    plan memory_maintenance.recall_plan;
    plans bigint;
BEGIN
    SELECT count(*) OVER () INTO plans
    FROM memory_maintenance.recall_plan AS p
    WHERE facts IS NULL OR p.table_name IN (facts, 'public.' || facts)
    LIMIT 1;
    IF plans > 1 AND facts IS NULL THEN
        RAISE EXCEPTION USING
            ERRCODE = 'invalid_parameter_value',
            MESSAGE = 'there are several tables of facts: say which one is meant',
            HINT = 'facts => ''public.entity_facts''';
    END IF;
    SELECT p.* INTO plan
    FROM memory_maintenance.recall_plan AS p
    WHERE facts IS NULL OR p.table_name IN (facts, 'public.' || facts)
    ORDER BY p.table_name = facts DESC
    LIMIT 1;
    IF plan.table_name IS NULL THEN
        RAISE EXCEPTION USING
            ERRCODE = 'undefined_object',
            MESSAGE = concat('no policy was published yet for the table of facts', ' ' || facts),
            HINT = 'memory-maintenance decay, as the owner of the schema memory_maintenance, publishes it.';
    END IF;
    RETURN plan;
END
$$;

COMMENT ON FUNCTION memory_maintenance.recall_plan_of(text) IS
    'The published plan of a table of facts, named as schema.table; NULL for the only one there is.';

CREATE FUNCTION memory_maintenance.record_access(
    facts text, keys text[], at timestamptz DEFAULT now()
) RETURNS text[]
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
SET standard_conforming_strings = on
SET lock_timeout = '250ms'
AS $$
DECLARE
    plan constant memory_maintenance.recall_plan := memory_maintenance.recall_plan_of(facts);
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
        EXECUTE plan.recording INTO recorded USING keys, moment;
        RETURN coalesce(recorded, ARRAY[]::pg_catalog.text[]);
    EXCEPTION
        -- Somebody holds one of the rows: whoever reads is not kept waiting for the sake of a count.
        WHEN lock_not_available OR deadlock_detected OR serialization_failure THEN
            NULL;
    END;
    BEGIN
        EXECUTE plan.recording_free INTO recorded USING keys, moment;
    EXCEPTION
        WHEN lock_not_available OR deadlock_detected OR serialization_failure THEN
            NULL;
    END;
    recorded := coalesce(recorded, ARRAY[]::pg_catalog.text[]);
    RAISE WARNING USING
        MESSAGE = pg_catalog.concat(
            'of ', pg_catalog.cardinality(keys), ' accesses ', pg_catalog.cardinality(recorded),
            ' were recorded: other transactions hold the rows of the rest'
        );
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
    as_of timestamptz DEFAULT now()
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
    plan constant memory_maintenance.recall_plan := memory_maintenance.recall_plan_of(facts);
    by_index boolean := query_embedding IS NOT NULL;
    gate constant double precision := coalesce(
        min_similarity,
        CASE WHEN query_embedding IS NULL THEN plan.min_text_similarity ELSE plan.min_similarity END
    );
    told constant text[] := ARRAY['public'] || array_remove(visibility, NULL);
    statement text;
    prepared constant text := concat('memory_maintenance.recall ', md5(plan.table_name));
    preparing text;
    former text;
    hnsw_before text;
    ivfflat_before text;
    round integer := 1;
    wanted integer;
    nearest record;
    returned integer;
    ranked record;
BEGIN
    IF num_nonnulls(query_embedding, query_text) <> 1 THEN
        RAISE EXCEPTION USING
            ERRCODE = 'invalid_parameter_value', MESSAGE = 'recall takes query_embedding or query_text, one of the two';
    ELSIF k IS NULL OR k NOT BETWEEN 1 AND 1000 THEN
        RAISE EXCEPTION USING ERRCODE = 'invalid_parameter_value', MESSAGE = 'k is 1 to 1000';
    ELSIF NOT gate BETWEEN 0 AND 1 THEN
        RAISE EXCEPTION USING ERRCODE = 'invalid_parameter_value', MESSAGE = 'min_similarity is 0 to 1';
    ELSIF as_of IS NULL OR NOT isfinite(as_of) THEN
        RAISE EXCEPTION USING ERRCODE = 'invalid_parameter_value', MESSAGE = 'as_of is a finite instant';
    ELSIF query_embedding IS NOT NULL AND plan.by_index IS NULL THEN
        RAISE EXCEPTION USING
            ERRCODE = 'undefined_table',
            MESSAGE = concat('there are no embeddings beside ', plan.table_name, ' to compare with'),
            DETAIL = 'A table memory_embeddings is needed, in the same schema or in public, of the same owner, with a column '
                'embedding of pgvector''s type vector.',
            HINT = 'Give query_text. Once the table is there, memory-maintenance decay publishes how it is used.';
    ELSIF query_embedding !~ '[1-9]' THEN
        RAISE EXCEPTION USING
            ERRCODE = 'invalid_parameter_value', MESSAGE = 'the query embedding is zero: it has no direction';
    ELSIF query_embedding ~ '^\s*\[.*\]\s*$'
        AND plan.dimensions <> length(query_embedding) - length(replace(query_embedding, ',', '')) + 1 THEN
        RAISE EXCEPTION USING
            ERRCODE = 'data_exception',
            MESSAGE = concat(
                'the query embedding has ',
                length(query_embedding) - length(replace(query_embedding, ',', '')) + 1,
                ' dimensions, and the stored ones have ', plan.dimensions
            );
    END IF;
    preparing := concat(
        'PREPARE ', quote_ident(prepared), ' (pg_catalog.text[], pg_catalog.float8[], pg_catalog.timestamptz, '
        'pg_catalog.text, pg_catalog.text[], pg_catalog.text[], pg_catalog.text[], pg_catalog.float8, pg_catalog.int4) AS ',
        plan.ranking
    );
    SELECT p.statement INTO former FROM pg_prepared_statements AS p WHERE p.name = prepared;
    -- The text is compared: the name may have been taken by whoever uses the session.
    IF former IS DISTINCT FROM preparing AND former IS NOT NULL THEN
        EXECUTE concat('DEALLOCATE ', quote_ident(prepared));
    END IF;
    IF by_index AND plan.iterative THEN
        hnsw_before := current_setting('hnsw.iterative_scan', true);
        ivfflat_before := current_setting('ivfflat.iterative_scan', true);
        PERFORM set_config('hnsw.iterative_scan', 'strict_order', true);
        PERFORM set_config('ivfflat.iterative_scan', 'relaxed_order', true);
    END IF;
    -- What others attached to the table finds what its writers' sessions find. Ends with the function.
    PERFORM set_config('search_path', plan.facts_path, true);
    IF former IS NULL OR former OPERATOR(pg_catalog.<>) preparing THEN
        EXECUTE preparing;
    END IF;
    wanted := greatest(40, 4 OPERATOR(pg_catalog.*) k);
    IF NOT by_index THEN
        wanted := greatest(1000, wanted);
    END IF;
    LOOP
        statement := CASE
            WHEN query_embedding IS NULL THEN plan.by_text
            WHEN by_index THEN plan.by_index
            ELSE plan.by_distance
        END;
        EXECUTE statement INTO nearest
        USING coalesce(query_embedding, query_text), wanted, viewer, told, categories, durabilities, gate;
        returned := coalesce(pg_catalog.cardinality(nearest.sources), 0);
        EXECUTE pg_catalog.concat(
            'EXECUTE ', pg_catalog.quote_ident(prepared), '(',
            pg_catalog.quote_nullable(nearest.sources), ', ', pg_catalog.quote_nullable(nearest.similarities), ', ',
            pg_catalog.quote_literal(as_of), ', ', pg_catalog.quote_nullable(viewer), ', ',
            pg_catalog.quote_literal(told), ', ', pg_catalog.quote_nullable(categories), ', ',
            pg_catalog.quote_nullable(durabilities), ', ', pg_catalog.quote_literal(gate), ', ',
            pg_catalog.quote_literal(k), ')'
        ) INTO ranked;
        -- What is beyond the last one is no nearer.
        EXIT WHEN ranked.found OPERATOR(pg_catalog.>=) k::pg_catalog.int8
            OR nearest.lowest OPERATOR(pg_catalog.<) gate
            OR (NOT by_index AND returned OPERATOR(pg_catalog.<) wanted);
        IF by_index AND (returned OPERATOR(pg_catalog.<) wanted OR round OPERATOR(pg_catalog.=) 3) THEN
            -- The index gives no more, or the filters leave so little that it is read in vain.
            by_index := false;
            wanted := greatest(1000, wanted);
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
    FROM ROWS FROM (
        pg_catalog.unnest(ranked.ids),
        pg_catalog.unnest(ranked.keys),
        pg_catalog.unnest(ranked.texts),
        pg_catalog.unnest(ranked.categories),
        pg_catalog.unnest(ranked.durabilities),
        pg_catalog.unnest(ranked.similarities),
        pg_catalog.unnest(ranked.importances),
        pg_catalog.unnest(ranked.effective_importances),
        pg_catalog.unnest(ranked.scores),
        pg_catalog.unnest(ranked.explanations)
    ) AS r (id, key, value, category, durability, similarity, importance, effective_importance, score, explanation);
END
$$;

COMMENT ON FUNCTION memory_maintenance.recall(
    text, text, integer, text, text, text[], text[], text[], double precision, boolean, timestamptz
) IS 'The facts nearest to a query, ranked by similarity and importance at the instant, best first. As the caller may read them; public ones unless a viewer or a visibility is named.';

REVOKE ALL ON FUNCTION memory_maintenance.refuse_plan() FROM PUBLIC;
REVOKE ALL ON FUNCTION memory_maintenance.recall_plan_of(text) FROM PUBLIC;
REVOKE ALL ON FUNCTION memory_maintenance.record_access(text, text[], timestamptz) FROM PUBLIC;
REVOKE ALL ON FUNCTION memory_maintenance.recall(
    text, text, integer, text, text, text[], text[], text[], double precision, boolean, timestamptz
) FROM PUBLIC;
