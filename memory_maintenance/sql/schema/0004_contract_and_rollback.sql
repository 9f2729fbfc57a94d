-- What contract and rollback need (spec 1, 2): who still writes the old way, what contract took away, what
-- rollback could not leave in the table; and the triggers' functions, which note all this.
-- No parameters, no slots. Locks: none that others hold for longer than a write.
-- Trigger arguments: 0 the map as JSON; 1 the name of the key column, '' for a table without one; 2 the
-- default of data_type, '' where it has none.
ALTER TABLE memory_maintenance.migration
    ADD COLUMN former jsonb NOT NULL DEFAULT '{{}}',
    ADD COLUMN constraints_added text[] NOT NULL DEFAULT '{{}}',
    ADD COLUMN indexes_added text[] NOT NULL DEFAULT '{{}}',
    ADD COLUMN backfilled_at timestamptz,
    ADD COLUMN contract jsonb,
    ADD COLUMN contracted_at timestamptz;

COMMENT ON COLUMN memory_maintenance.migration.former IS
    'Columns and constraints of our names that were there before us, for rollback.';
COMMENT ON COLUMN memory_maintenance.migration.contract IS
    'What contract took away, for rollback: type, default, checks, indexes, comment and grants of data_type, former view texts.';

CREATE TABLE memory_maintenance.old_style_write (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    table_name text NOT NULL,
    at timestamptz NOT NULL DEFAULT clock_timestamp(),
    role text NOT NULL,
    application_name text NOT NULL
);

CREATE INDEX old_style_write_at ON memory_maintenance.old_style_write (table_name, at DESC);

COMMENT ON TABLE memory_maintenance.old_style_write IS
    'Writes that name data_type: one a minute for each role and application at most. Contract waits until there are none.';

CREATE TABLE memory_maintenance.noted_key (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    table_name text NOT NULL,
    fact_key text NOT NULL
);

COMMENT ON TABLE memory_maintenance.noted_key IS
    'Facts written since contract began to keep old values aside: looked at again under its lock.';

CREATE TABLE memory_maintenance.data_type_backup (
    table_name text NOT NULL,
    fact_key text NOT NULL,
    place integer NOT NULL DEFAULT 1,
    data_type text,
    PRIMARY KEY (table_name, fact_key, place)
);

COMMENT ON TABLE memory_maintenance.data_type_backup IS
    'The old values that the axes alone would not give back. place tells equal rows of a table without a key apart.';

CREATE TABLE memory_maintenance.rollback_backup (
    table_name text NOT NULL,
    fact_key text NOT NULL,
    started_at timestamptz NOT NULL,
    columns text[] NOT NULL,
    at timestamptz NOT NULL DEFAULT clock_timestamp(),
    kept jsonb NOT NULL,
    PRIMARY KEY (table_name, fact_key, started_at)
);

COMMENT ON TABLE memory_maintenance.rollback_backup IS
    'What rollback found in our columns; a later migrate-types puts it back.';
COMMENT ON COLUMN memory_maintenance.rollback_backup.started_at IS
    'Of the migration that was rolled back. While that is still noted, its rollback has not come to its end.';
COMMENT ON COLUMN memory_maintenance.rollback_backup.columns IS
    'Those whose digest fact_key is; none where it is a key.';

CREATE TABLE memory_maintenance.unmatched_backup (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    table_name text NOT NULL,
    started_at timestamptz,
    fact_key text NOT NULL,
    columns text[] NOT NULL,
    kept jsonb NOT NULL,
    at timestamptz NOT NULL DEFAULT clock_timestamp()
);

COMMENT ON TABLE memory_maintenance.unmatched_backup IS
    'Values kept aside of rows without a key that were not found again: changed since, or their columns renamed. Nothing reads it.';

CREATE FUNCTION memory_maintenance.data_type_of(durability text, category text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
AS $$
SELECT CASE
    WHEN durability OPERATOR(pg_catalog.=) 'permanent' THEN 'permanent'
    WHEN durability OPERATOR(pg_catalog.=) 'short_term' THEN 'temporal'
    WHEN durability OPERATOR(pg_catalog.=) 'ephemeral' THEN 'temporal'
    WHEN category OPERATOR(pg_catalog.=) 'preference' THEN 'preference'
    ELSE 'observation'
END
$$;

COMMENT ON FUNCTION memory_maintenance.data_type_of(text, text) IS
    'The data_type that the axes alone give: what views that contract keeps show.';

CREATE OR REPLACE FUNCTION memory_maintenance.way_back(
    type_map jsonb, durability text, category text, data_type text
) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
AS $$
SELECT CASE
    WHEN memory_maintenance.mapped_axes(type_map, data_type)
        OPERATOR(pg_catalog.=) pg_catalog.jsonb_build_array(durability, category) THEN data_type
    ELSE memory_maintenance.data_type_of(durability, category)
END
$$;

CREATE FUNCTION memory_maintenance.note_old_style(relation oid) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    filed_under constant text := memory_maintenance.table_name(coalesce(pg_partition_root(relation), relation));
    application constant text := coalesce(current_setting('application_name', true), '');
BEGIN
    -- Rollback writes data_type as well.
    IF starts_with(application, 'memory-maintenance ') THEN
        RETURN;
    END IF;
    -- A new row and no counter: writers must not wait for each other's transactions.
    INSERT INTO memory_maintenance.old_style_write (table_name, role, application_name)
    SELECT filed_under, session_user, application
    -- Under SERIALIZABLE a look at what others wrote could make one of two writers fail.
    WHERE current_setting('transaction_isolation') = 'serializable' OR NOT EXISTS (
        SELECT FROM memory_maintenance.old_style_write AS w
        WHERE w.table_name = filed_under
            AND w.at > clock_timestamp() - interval '1 minute'
            AND w.role = session_user
            AND w.application_name = application
    );
END
$$;

CREATE FUNCTION memory_maintenance.names_data_type(statement text, tables text[]) RETURNS boolean
LANGUAGE plpgsql IMMUTABLE SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    -- The text may be long: what comes after the first values names no columns.
    words constant text := lower(left(statement, 20000));
    found text[];
BEGIN
    -- What stands before the first parenthesis after INSERT INTO or COPY, and within it.
    FOR found IN
        SELECT m.groups
        FROM regexp_matches(words, '\m(?:insert\s+into|copy)\M([^()]*)\(([^()]*)\)', 'g') AS m (groups)
    LOOP
        IF EXISTS (SELECT FROM unnest(tables) AS t (name) WHERE position(lower(t.name) IN found[1]) > 0)
            -- A list of columns with it in, or none: then columns are counted, and one will be missing.
            AND (found[1] ~ '\m(values|select|with|from|table)\M' OR found[2] ~ '\mdata_type\M')
        THEN
            RETURN true;
        END IF;
    END LOOP;
    RETURN words ~ '\mmerge\s+into\M.*\minsert\s*\([^()]*\mdata_type\M'
        OR words ~ '\mcopy\M[^()]*\mfrom\M'
        OR words ~ '\minsert\s+into\M[^()]*\mselect\M';
END
$$;

CREATE FUNCTION memory_maintenance.note_old_style_statement() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    root oid;
BEGIN
    -- UPDATE OF data_type says by itself that the statement names it; of an INSERT only its text tells. A function
    -- that inserts shows its caller's: what its body names is for the scan of dependents to find.
    IF TG_OP = 'INSERT' THEN
        root := coalesce(pg_partition_root(TG_RELID), TG_RELID);
        IF NOT memory_maintenance.names_data_type(
            current_query(),
            ARRAY[TG_TABLE_NAME::text, (SELECT c.relname::text FROM pg_class AS c WHERE c.oid = root)]
        ) THEN
            RETURN NULL;
        END IF;
    END IF;
    PERFORM memory_maintenance.note_old_style(TG_RELID);
    RETURN NULL;
END
$$;

-- A writer's settings would spell the digest of a row without a key differently from ours.
CREATE FUNCTION memory_maintenance.note_key() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
SET TimeZone = 'UTC' SET IntervalStyle = 'postgres' SET extra_float_digits = 3 SET bytea_output = 'hex'
AS $$
DECLARE
    columns constant text[] := ARRAY(SELECT jsonb_array_elements_text(TG_ARGV[1]::jsonb));
    former jsonb;
    written jsonb;
BEGIN
    IF TG_OP <> 'INSERT' THEN
        former := to_jsonb(OLD);
    END IF;
    IF TG_OP <> 'DELETE' THEN
        written := to_jsonb(NEW);
    END IF;
    -- Writers go on updating what has nothing to do with an old value. Where there is no key, the row goes by most
    -- of its columns.
    IF TG_OP = 'UPDATE'
        AND TG_ARGV[0] <> ''
        AND (former ->> TG_ARGV[0]) = (written ->> TG_ARGV[0])
        AND (former ->> 'data_type') IS NOT DISTINCT FROM (written ->> 'data_type')
        AND (former ->> 'durability') IS NOT DISTINCT FROM (written ->> 'durability')
        AND (former ->> 'category') IS NOT DISTINCT FROM (written ->> 'category')
    THEN
        RETURN NULL;
    END IF;
    INSERT INTO memory_maintenance.noted_key (table_name, fact_key)
    SELECT DISTINCT
        memory_maintenance.table_name(coalesce(pg_partition_root(TG_RELID), TG_RELID)),
        CASE WHEN TG_ARGV[0] = '' THEN memory_maintenance.row_key(r.fact, columns) ELSE r.fact ->> TG_ARGV[0] END
    FROM (VALUES (former), (written)) AS r (fact)
    WHERE r.fact IS NOT NULL;
    RETURN NULL;
END
$$;

CREATE FUNCTION memory_maintenance.note_row() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
SET TimeZone = 'UTC' SET IntervalStyle = 'postgres' SET extra_float_digits = 3 SET bytea_output = 'hex'
AS $$
DECLARE
    columns constant text[] := ARRAY(SELECT jsonb_array_elements_text(TG_ARGV[1]::jsonb));
    former jsonb;
BEGIN
    IF TG_OP = 'UPDATE' THEN
        former := to_jsonb(OLD);
    END IF;
    -- What it is about stands in the trigger's WHEN. A row that changes its key is two rows to us.
    INSERT INTO memory_maintenance.noted_key (table_name, fact_key)
    SELECT DISTINCT
        memory_maintenance.table_name(coalesce(pg_partition_root(TG_RELID), TG_RELID)),
        CASE WHEN TG_ARGV[0] = '' THEN memory_maintenance.row_key(r.fact, columns) ELSE r.fact ->> TG_ARGV[0] END
    FROM (VALUES (former), (to_jsonb(NEW))) AS r (fact)
    WHERE r.fact IS NOT NULL;
    RETURN NULL;
END
$$;

CREATE FUNCTION memory_maintenance.row_key(fact jsonb, columns text[]) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
AS $$
SELECT pg_catalog.md5((fact OPERATOR(pg_catalog.-) ARRAY(
    SELECT k.name FROM pg_catalog.jsonb_object_keys(fact) AS k (name)
    WHERE k.name OPERATOR(pg_catalog.<>) ALL (columns)
))::text)
$$;

COMMENT ON FUNCTION memory_maintenance.row_key(jsonb, text[]) IS
    'What a row of a table without a key goes by: a digest of these columns of it, in whatever order they are named.';

CREATE OR REPLACE FUNCTION memory_maintenance.map_data_type() RETURNS trigger
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
        IF NEW.durability IS NULL
            AND NEW.category IS NULL
            AND NEW.data_type::text IS DISTINCT FROM nullif(TG_ARGV[2], '')
        THEN
            PERFORM memory_maintenance.note_old_style(TG_RELID);
        END IF;
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
            -- Rollback gives a row the data_type that goes with its axes, whatever the map says of that value.
            AND current_setting('memory_maintenance.filling', true) IS DISTINCT FROM 'on'
            -- NULL beside axes that NULL doesn't stand for is a data_type that rollback has yet to fill in: an
            -- upsert that says what is about to stand there changes no axes, as it wouldn't afterwards.
            AND NOT (
                OLD.data_type IS NULL
                AND old_pair <> jsonb_build_array(old_durability, old_category)
                AND NEW.data_type = memory_maintenance.data_type_of(old_durability, old_category)
            )
        THEN
            NEW.durability := pair ->> 0;
            NEW.category := pair ->> 1;
        END IF;
    END IF;
    IF unmapped THEN
        -- A partition's rows are filed under the table that the operator knows.
        filed_under := memory_maintenance.table_name(coalesce(pg_partition_root(TG_RELID), TG_RELID));
        fact := to_jsonb(NEW) ->> nullif(TG_ARGV[1], '');
        -- Once a fact and value, however often a writer says it again; an upsert fires both triggers.
        INSERT INTO memory_maintenance.event (table_name, fact_key, kind, detail, recorded_by)
        SELECT
            filed_under,
            fact,
            'unmapped_data_type',
            jsonb_build_object('data_type', NEW.data_type, 'operation', TG_OP),
            session_user
        WHERE current_setting('transaction_isolation') = 'serializable' OR NOT EXISTS (
            SELECT FROM memory_maintenance.event AS e
            WHERE e.table_name = filed_under
                AND e.fact_key IS NOT DISTINCT FROM fact
                AND e.kind = 'unmapped_data_type'
                AND e.detail ->> 'data_type' = NEW.data_type::text
        );
    END IF;
    RETURN NEW;
END
$$;

CREATE OR REPLACE FUNCTION memory_maintenance.write_back_data_type() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    type_map jsonb := TG_ARGV[0];
    fallback constant jsonb := '["long_term", "observation"]';
    axes jsonb := jsonb_build_array(NEW.durability, NEW.category);
    written jsonb := memory_maintenance.mapped_axes(type_map, NEW.data_type);
    former jsonb;
BEGIN
    -- Rollback fills in what goes with the axes, whatever the map makes of it.
    IF written = axes OR current_setting('memory_maintenance.filling', true) = 'on' THEN
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

REVOKE ALL ON FUNCTION memory_maintenance.note_old_style(oid) FROM PUBLIC;
REVOKE ALL ON FUNCTION memory_maintenance.note_old_style_statement() FROM PUBLIC;
REVOKE ALL ON FUNCTION memory_maintenance.note_key() FROM PUBLIC;
REVOKE ALL ON FUNCTION memory_maintenance.note_row() FROM PUBLIC;

CREATE FUNCTION memory_maintenance.refuse(reason text) RETURNS boolean
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    RAISE EXCEPTION USING MESSAGE = reason, ERRCODE = 'triggered_action_exception';
END
$$;

COMMENT ON FUNCTION memory_maintenance.refuse(text) IS
    'Raises an error: ends the transaction of a plan whose condition does not hold.';

-- Views show it to whoever may read them, and a function in a view is called with the reader's rights: whatever
-- the default privileges of this database are.
GRANT EXECUTE ON FUNCTION memory_maintenance.data_type_of(text, text) TO PUBLIC;

REVOKE ALL ON FUNCTION memory_maintenance.names_data_type(text, text[]) FROM PUBLIC;
