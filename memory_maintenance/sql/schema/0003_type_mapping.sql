-- The triggers' functions that keep data_type and the two axes in step while both live (spec 1, 2).
-- No parameters, no slots. Locks: none that others hold.
-- Trigger arguments: 0 the map as JSON, an object of "values" and "null", each value a pair [durability,
-- category]; 1 the name of the key column. SECURITY DEFINER, since writers have no right on our schema.
CREATE FUNCTION memory_maintenance.mapped_axes(type_map jsonb, data_type text) RETURNS jsonb
LANGUAGE sql IMMUTABLE PARALLEL SAFE
AS $$
SELECT CASE
    WHEN data_type IS NULL THEN type_map OPERATOR(pg_catalog.->) 'null'
    ELSE (type_map OPERATOR(pg_catalog.->) 'values') OPERATOR(pg_catalog.->) data_type
END
$$;

COMMENT ON FUNCTION memory_maintenance.mapped_axes(jsonb, text) IS
    'The pair [durability, category] for an old data_type; NULL where the map lacks it.';

CREATE FUNCTION memory_maintenance.way_back(
    type_map jsonb, durability text, category text, data_type text
) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
AS $$
SELECT CASE
    WHEN memory_maintenance.mapped_axes(type_map, data_type)
        OPERATOR(pg_catalog.=) pg_catalog.jsonb_build_array(durability, category) THEN data_type
    WHEN durability OPERATOR(pg_catalog.=) 'permanent' THEN 'permanent'
    WHEN durability OPERATOR(pg_catalog.=) 'short_term' THEN 'temporal'
    WHEN durability OPERATOR(pg_catalog.=) 'ephemeral' THEN 'temporal'
    WHEN category OPERATOR(pg_catalog.=) 'preference' THEN 'preference'
    ELSE 'observation'
END
$$;

COMMENT ON FUNCTION memory_maintenance.way_back(jsonb, text, text, text) IS
    'The data_type that old readers see for a fact''s axes: its own value while the map takes that to the axes, else one of the five production values.';

CREATE FUNCTION memory_maintenance.map_data_type() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    type_map jsonb := TG_ARGV[0];
    fallback constant jsonb := '["long_term", "observation"]';
    pair jsonb;
    old_pair jsonb;
    old_durability text;
    old_category text;
    unmapped boolean := false;
    filed_under text;
    fact text;
BEGIN
    pair := memory_maintenance.mapped_axes(type_map, NEW.data_type);
    IF TG_OP = 'INSERT' THEN
        unmapped := pair IS NULL;
        NEW.durability := coalesce(NEW.durability, coalesce(pair, fallback) ->> 0);
        NEW.category := coalesce(NEW.category, coalesce(pair, fallback) ->> 1);
    ELSE
        -- Reckoned from the axes that the old row has or would have had, so that the result is the same
        -- whether or not backfill has reached it.
        old_pair := coalesce(memory_maintenance.mapped_axes(type_map, OLD.data_type), fallback);
        old_durability := coalesce(OLD.durability, old_pair ->> 0);
        old_category := coalesce(OLD.category, old_pair ->> 1);
        NEW.durability := coalesce(NEW.durability, old_pair ->> 0);
        NEW.category := coalesce(NEW.category, old_pair ->> 1);
        unmapped := pair IS NULL AND (
            NEW.data_type IS DISTINCT FROM OLD.data_type
            OR OLD.durability IS NULL
            OR OLD.category IS NULL
        );
        IF pair IS NOT NULL
            AND NEW.data_type IS DISTINCT FROM OLD.data_type
            AND NEW.durability = old_durability
            AND NEW.category = old_category
        THEN
            NEW.durability := pair ->> 0;
            NEW.category := pair ->> 1;
        END IF;
    END IF;
    IF unmapped THEN
        -- A partition's rows are filed under the table that the operator knows.
        filed_under := memory_maintenance.table_name(coalesce(pg_partition_root(TG_RELID), TG_RELID));
        fact := to_jsonb(NEW) ->> TG_ARGV[1];
        -- Once a fact and value, however often a writer says it again; an upsert fires both triggers.
        INSERT INTO memory_maintenance.event (table_name, fact_key, kind, detail, recorded_by)
        SELECT
            filed_under,
            fact,
            'unmapped_data_type',
            jsonb_build_object('data_type', NEW.data_type, 'operation', TG_OP),
            session_user
        WHERE NOT EXISTS (
            SELECT FROM memory_maintenance.event AS e
            WHERE e.table_name = filed_under
                AND e.fact_key = fact
                AND e.kind = 'unmapped_data_type'
                AND e.detail ->> 'data_type' = NEW.data_type::text
        );
    END IF;
    RETURN NEW;
END
$$;

CREATE FUNCTION memory_maintenance.write_back_data_type() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    type_map jsonb := TG_ARGV[0];
    fallback constant jsonb := '["long_term", "observation"]';
    axes jsonb := jsonb_build_array(NEW.durability, NEW.category);
    written jsonb := memory_maintenance.mapped_axes(type_map, NEW.data_type);
    former jsonb;
BEGIN
    IF written = axes THEN
        RETURN NEW;
    END IF;
    IF TG_OP = 'INSERT' THEN
        IF written IS NULL THEN
            RETURN NEW;  -- a value that the map lacks stays as it was written, for verify to find
        END IF;
    ELSE
        former := memory_maintenance.mapped_axes(type_map, OLD.data_type);
        IF written IS NULL AND (
            NEW.data_type IS DISTINCT FROM OLD.data_type
            -- The axes that the old row has, or would have had once backfill had reached it: while nobody
            -- changes them, nobody has settled the value.
            OR axes = jsonb_build_array(
                coalesce(OLD.durability, coalesce(former, fallback) ->> 0),
                coalesce(OLD.category, coalesce(former, fallback) ->> 1)
            )
        ) THEN
            RETURN NEW;
        END IF;
        IF former = axes THEN
            NEW.data_type := OLD.data_type;
            RETURN NEW;
        END IF;
    END IF;
    NEW.data_type := memory_maintenance.way_back(type_map, NEW.durability, NEW.category, NEW.data_type);
    RETURN NEW;
END
$$;

REVOKE ALL ON FUNCTION memory_maintenance.map_data_type() FROM PUBLIC;
REVOKE ALL ON FUNCTION memory_maintenance.write_back_data_type() FROM PUBLIC;
