-- The guards (spec 6, 7): what no writer may do to a decision that is not to be reopened, or to a mood.
-- No parameters, no slots. Locks: none that others hold for longer than a write.
-- Trigger arguments: 0 the name of the key column; 1 what is guarded, a JSON array of paths into the row; 2 the
-- axes of the old values that count while a row is not classified, as the map's JSON, '' for none; the last a
-- digest of the trigger's own definition. What a trigger is about stands in its WHEN; the functions compare values.
-- SECURITY DEFINER, since writers have no right on our schema. Errors and warnings end up in logs: they name keys
-- and columns, and nothing that a fact says. Rows are never taken as jsonb as a whole: a json column may hold what jsonb
-- can't (a \u0000, half of a pair of surrogates, a number too large), and the server's error would quote it.
CREATE FUNCTION memory_maintenance.given_reason(setting text) RETURNS text
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp
AS $$
-- The characters that show nothing are those of model/one_line; only in UTF8 are code points what these are.
SELECT regexp_replace(s.said, '^[[:space:]]+|[[:space:]]+$', '', 'g')
FROM current_setting(setting, true) AS s (said)
WHERE s.said ~ CASE
    WHEN getdatabaseencoding() = 'UTF8' THEN
        '[^\u0001-\u0020\u007F-\u00A0\u00AD\u034F\u061C\u115F\u1160\u1680\u17B4\u17B5\u180B-\u180F'
        '\u2000-\u200F\u2028-\u202F\u205F-\u206F\u2800\u3000\u3164\uFE00-\uFE0F\uFEFF\uFFA0\uFFF0-\uFFFB'
        '\U0001BCA0-\U0001BCA3\U0001D173-\U0001D17A\U000E0000-\U000E0FFF]'
    ELSE '[^[:space:]]'
END
$$;

COMMENT ON FUNCTION memory_maintenance.given_reason(text) IS
    'The reason that the transaction has set; NULL where it is blank or there is none.';

CREATE FUNCTION memory_maintenance.recordable(value anyelement) RETURNS jsonb
LANGUAGE plpgsql IMMUTABLE SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    RETURN to_jsonb(value);
EXCEPTION
    WHEN data_exception OR program_limit_exceeded THEN
        RETURN jsonb_build_object(
            'unreadable', encode(sha256(convert_to(value::text, getdatabaseencoding()::text)), 'hex')
        );
END
$$;

COMMENT ON FUNCTION memory_maintenance.recordable(anyelement) IS
    'A value as jsonb; where it can''t be that, the digest of its text.';

CREATE FUNCTION memory_maintenance.guarded_members(document anyelement) RETURNS jsonb
LANGUAGE plpgsql IMMUTABLE STRICT SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    half constant text := '[dD][89abAB][0-9a-fA-F][0-9a-fA-F]';
    other_half constant text := '[dD][c-fC-F][0-9a-fA-F][0-9a-fA-F]';
    mended text;
    member json;
    name text;
    found jsonb := jsonb_build_object();
BEGIN
    IF pg_typeof(document) = 'jsonb'::regtype THEN
        RETURN to_jsonb(document);
    END IF;
    BEGIN
        RETURN to_jsonb(document);
    EXCEPTION
        WHEN data_exception OR program_limit_exceeded THEN
            mended := document::text;
    END;
    -- What can't be text shows as U+FFFD and its code. An escaped backslash before a u is none of these.
    mended := regexp_replace(mended, '(?<!\\)((?:\\\\)*)\\u0000', '\1\\ufffdu0000', 'g');
    mended := regexp_replace(
        mended,
        '(?<!\\)((?:\\\\)*)\\u(' || half || ')(?!\\u' || other_half || ')',
        '\1\\ufffdu\2',
        'g'
    );
    mended := regexp_replace(
        mended, '(?<!\\|\\u' || half || ')((?:\\\\)*)\\u(' || other_half || ')', '\1\\ufffdu\2', 'g'
    );
    BEGIN
        FOREACH name IN ARRAY ARRAY['decision', 'do_not_reopen'] LOOP
            member := mended::json -> name;
            IF member IS NOT NULL THEN
                found := found || jsonb_build_object(name, memory_maintenance.recordable(member));
            END IF;
        END LOOP;
        RETURN found;
    EXCEPTION
        WHEN data_exception OR program_limit_exceeded THEN
            -- Nobody can say what is in it: any change of it counts.
            RETURN jsonb_build_object(
                'decision', memory_maintenance.recordable(document),
                'do_not_reopen', document::text ~ '"do_not_reopen"[[:space:]]*:[[:space:]]*true'
            );
    END;
END
$$;

COMMENT ON FUNCTION memory_maintenance.guarded_members(anyelement) IS
    'data as jsonb; of what jsonb can''t hold the two members that are guarded, as far as they can be recorded.';

CREATE FUNCTION memory_maintenance.guarded_row(fact anyelement, paths jsonb, also text[]) RETURNS jsonb
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    members text;
    found jsonb;
BEGIN
    SELECT string_agg(
        quote_literal(c.name) || ', memory_maintenance.'
        || CASE c.name WHEN 'data' THEN 'guarded_members' ELSE 'recordable' END
        || '(($1).' || quote_ident(c.name) || ')',
        ', '
    )
    INTO members
    FROM (
        SELECT e.path ->> 0 FROM jsonb_array_elements(paths) AS e (path)
        UNION
        SELECT unnest(also)
    ) AS c (name);
    EXECUTE 'SELECT jsonb_build_object(' || members || ')' INTO found USING fact;
    RETURN found;
END
$$;

COMMENT ON FUNCTION memory_maintenance.guarded_row(anyelement, jsonb, text[]) IS
    'The columns of a row that paths begin with, and also others, one by one.';

CREATE FUNCTION memory_maintenance.columns_also(key text, type_map jsonb) RETURNS text[]
LANGUAGE sql IMMUTABLE SET search_path = pg_catalog, pg_temp
AS $$
SELECT ARRAY[key, 'durability', 'category'] || CASE WHEN type_map IS NULL THEN ARRAY[]::text[] ELSE ARRAY['data_type'] END
$$;

COMMENT ON FUNCTION memory_maintenance.columns_also(text, jsonb) IS
    'What guarded_fact and messages need of a row, whatever is guarded.';

CREATE FUNCTION memory_maintenance.guarded_fact(fact jsonb, type_map jsonb) RETURNS jsonb
LANGUAGE sql IMMUTABLE SET search_path = pg_catalog, pg_temp
AS $$
SELECT CASE
    WHEN type_map IS NULL OR fact ->> 'category' IS NOT NULL THEN fact
    ELSE fact || jsonb_build_object(
        'durability',
        coalesce(fact ->> 'durability', memory_maintenance.mapped_axes(type_map, fact ->> 'data_type') ->> 0),
        'category',
        memory_maintenance.mapped_axes(type_map, fact ->> 'data_type') ->> 1
    )
END
$$;

COMMENT ON FUNCTION memory_maintenance.guarded_fact(jsonb, jsonb) IS
    'A row with the axes that it has, or that its data_type gives it while it is not classified.';

CREATE FUNCTION memory_maintenance.changed_values(former jsonb, written jsonb, paths jsonb) RETURNS jsonb
LANGUAGE sql IMMUTABLE SET search_path = pg_catalog, pg_temp
AS $$
SELECT CASE
    WHEN count(*) > 0 THEN jsonb_build_object(
        'before', jsonb_object_agg(p.name, former #> p.path),
        'after', CASE WHEN written IS NOT NULL THEN jsonb_object_agg(p.name, written #> p.path) END
    )
END
FROM (
    SELECT
        array_to_string(ARRAY(SELECT jsonb_array_elements_text(e.path)), '.') AS name,
        ARRAY(SELECT jsonb_array_elements_text(e.path)) AS path
    FROM jsonb_array_elements(paths) AS e (path)
) AS p
WHERE former #> p.path IS DISTINCT FROM written #> p.path
$$;

COMMENT ON FUNCTION memory_maintenance.changed_values(jsonb, jsonb, jsonb) IS
    'What of the guarded values differs between two rows, before and after; NULL where nothing does.';

CREATE FUNCTION memory_maintenance.is_moved(former jsonb, present jsonb, change jsonb, paths jsonb) RETURNS boolean
LANGUAGE sql IMMUTABLE SET search_path = pg_catalog, pg_temp
AS $$
SELECT present IS NOT NULL AND coalesce(
    bool_and(
        coalesce(present #> p.path, 'null')
            = coalesce(CASE WHEN change -> 'after' ? p.name THEN change -> 'after' -> p.name ELSE former #> p.path END, 'null')
        AND (
            NOT change -> 'before' ? p.name
            OR coalesce(change -> 'before' -> p.name, 'null') = coalesce(former #> p.path, 'null')
        )
    ),
    false
)
FROM (
    SELECT
        array_to_string(ARRAY(SELECT jsonb_array_elements_text(e.path)), '.') AS name,
        ARRAY(SELECT jsonb_array_elements_text(e.path)) AS path
    FROM jsonb_array_elements(paths) AS e (path)
) AS p
$$;

COMMENT ON FUNCTION memory_maintenance.is_moved(jsonb, jsonb, jsonb, jsonb) IS
    'Whether what stands is what a row was, after a change that was recorded of it.';

CREATE FUNCTION memory_maintenance.note_guarded(
    relation oid, fact_key text, kind text, reason text, detail jsonb
) RETURNS void
LANGUAGE sql SET search_path = pg_catalog, pg_temp
AS $$
-- A partition's rows are filed under the table that the operator knows.
INSERT INTO memory_maintenance.event (table_name, fact_key, kind, reason, detail, recorded_by)
VALUES (
    memory_maintenance.table_name(coalesce(pg_partition_root(relation), relation)),
    fact_key, kind, reason, detail, session_user
)
$$;

CREATE FUNCTION memory_maintenance.refuse_decision(relation oid, fact_key text, what text, detail text) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    RAISE EXCEPTION USING
        ERRCODE = 'MM001',
        MESSAGE = concat(
            'fact ', fact_key, ' of ', memory_maintenance.table_name(coalesce(pg_partition_root(relation), relation)),
            ' is a decision that is not to be reopened: ', what
        ),
        DETAIL = detail,
        HINT = 'Record a newer decision that supersedes it (memory-maintenance decisions supersede). To change this one all '
            'the same, give the reason in the same transaction: '
            'SET LOCAL memory_maintenance.reopen_reason = ''why it is reopened'';';
END
$$;

CREATE FUNCTION memory_maintenance.refuse_reopening() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    type_map constant jsonb := nullif(TG_ARGV[2], '');
    also constant text[] := memory_maintenance.columns_also(TG_ARGV[0], type_map);
    paths constant jsonb := TG_ARGV[1];
    reason constant text := memory_maintenance.given_reason('memory_maintenance.reopen_reason');
    former jsonb;
    changed jsonb;
    fact text;
    names text;
BEGIN
    IF (memory_maintenance.guarded_members(OLD.data) -> 'do_not_reopen')::text IS DISTINCT FROM 'true' THEN
        RETURN NEW;
    END IF;
    former := memory_maintenance.guarded_fact(memory_maintenance.guarded_row(OLD, paths, also), type_map);
    fact := former ->> TG_ARGV[0];
    changed := memory_maintenance.changed_values(
        former, memory_maintenance.guarded_row(NEW, paths, also), paths
    );
    IF changed IS NULL THEN
        RETURN NEW;
    END IF;
    IF reason IS NULL THEN
        names := (SELECT string_agg(k.name, ', ' ORDER BY k.name) FROM jsonb_object_keys(changed -> 'before') AS k (name));
        PERFORM memory_maintenance.refuse_decision(
            TG_RELID,
            fact,
            names || ' may not change',
            'Its category is decision and data.do_not_reopen is true. Confidence, importance, counters, entity_id and other '
            'keys of data may change; key, value, category, durability, data.decision, data.do_not_reopen and its primary '
            'key may not.'
        );
    END IF;
    PERFORM memory_maintenance.note_guarded(
        TG_RELID, fact, 'decision-reopened', reason, changed || jsonb_build_object('operation', TG_OP)
    );
    RETURN NEW;
END
$$;

-- After the row's deletion, when what the same statement has inserted is there: PostgreSQL makes the two of a row's
-- move to another partition.
CREATE FUNCTION memory_maintenance.refuse_deletion() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET row_security = off
AS $$
DECLARE
    type_map constant jsonb := nullif(TG_ARGV[2], '');
    paths constant jsonb := TG_ARGV[1];
    also constant text[] := memory_maintenance.columns_also(TG_ARGV[0], type_map);
    root constant regclass := coalesce(pg_partition_root(TG_RELID), TG_RELID::regclass);
    reason constant text := memory_maintenance.given_reason('memory_maintenance.reopen_reason');
    key constant text := quote_ident(TG_ARGV[0]);
    former jsonb;
    fact text;
    survivor jsonb;
    change jsonb;
    moved jsonb;
BEGIN
    IF (memory_maintenance.guarded_members(OLD.data) -> 'do_not_reopen')::text IS DISTINCT FROM 'true' THEN
        RETURN NULL;
    END IF;
    former := memory_maintenance.guarded_fact(memory_maintenance.guarded_row(OLD, paths, also), type_map);
    fact := former ->> TG_ARGV[0];
    EXECUTE 'SELECT memory_maintenance.guarded_row(f, $2, $3) FROM ' || root::text || ' AS f WHERE f.' || key
        || ' = ($1).' || key
        INTO survivor USING OLD, paths, also;
    survivor := memory_maintenance.guarded_fact(survivor, type_map);
    IF survivor IS NOT NULL AND memory_maintenance.changed_values(former, survivor, paths) IS NULL THEN
        RETURN NULL;
    END IF;
    IF reason IS NULL THEN
        PERFORM memory_maintenance.refuse_decision(
            TG_RELID,
            fact,
            'it may not be deleted',
            'Its category is decision and data.do_not_reopen is true. It would go with what it refers to, too, by ON DELETE '
            'CASCADE: give it another entity_id first, which is allowed.'
        );
    END IF;
    -- With a reason its key may have changed, and its partition with that: which is recorded already. It is that row only
    -- if under the new key there stands what this one was, with what was recorded of the change.
    IF TG_RELID <> root THEN
        FOR change IN
            SELECT e.detail
            FROM memory_maintenance.event AS e
            WHERE e.table_name = memory_maintenance.table_name(root)
                AND e.fact_key = fact
                AND e.kind = 'decision-reopened'
                AND e.at >= transaction_timestamp()
                AND e.detail ->> 'operation' = 'UPDATE'
                AND e.detail -> 'after' ? TG_ARGV[0]
        LOOP
            EXECUTE 'SELECT memory_maintenance.guarded_row(f, $2, $3) FROM ' || root::text || ' AS f WHERE f.' || key
                || ' = (jsonb_populate_record(NULL::' || root::text || ', $1)).' || key
                INTO moved
                USING jsonb_build_object(TG_ARGV[0], change -> 'after' -> TG_ARGV[0]), paths, also;
            IF memory_maintenance.is_moved(former, memory_maintenance.guarded_fact(moved, type_map), change, paths) THEN
                RETURN NULL;
            END IF;
        END LOOP;
    END IF;
    PERFORM memory_maintenance.note_guarded(
        TG_RELID,
        fact,
        'decision-reopened',
        reason,
        memory_maintenance.changed_values(former, survivor, paths) || jsonb_build_object('operation', TG_OP)
    );
    RETURN NULL;
END
$$;

CREATE FUNCTION memory_maintenance.refuse_truncation() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET row_security = off
AS $$
DECLARE
    type_map constant jsonb := nullif(TG_ARGV[2], '');
    filed_under constant text := memory_maintenance.table_name(coalesce(pg_partition_root(TG_RELID), TG_RELID));
    reason constant text := memory_maintenance.given_reason('memory_maintenance.reopen_reason');
    condition constant text := '(f.category = ''decision'''
        || CASE WHEN type_map IS NULL THEN '' ELSE
            ' OR f.category IS NULL AND memory_maintenance.mapped_axes($1, f.data_type::text) ->> 1 = ''decision'''
        END
        || ') AND (memory_maintenance.guarded_members(f.data) -> ''do_not_reopen'')::text = ''true''';
    paths constant jsonb := TG_ARGV[1];
    former jsonb;
    gone jsonb;
    fact text;
BEGIN
    FOR former IN EXECUTE 'SELECT memory_maintenance.guarded_row(f, $2, $3) FROM ' || TG_RELID::regclass::text
        || ' AS f WHERE ' || condition
        USING type_map, paths, memory_maintenance.columns_also(TG_ARGV[0], type_map)
    LOOP
        former := memory_maintenance.guarded_fact(former, type_map);
        fact := former ->> TG_ARGV[0];
        IF reason IS NULL THEN
            PERFORM memory_maintenance.refuse_decision(
                TG_RELID,
                fact,
                'TRUNCATE of ' || memory_maintenance.table_name(TG_RELID) || ' may not take it away',
                'There may be more such facts: their category is decision and data.do_not_reopen is true.'
            );
        END IF;
        -- TRUNCATE of a partitioned table fires the triggers of its partitions as well. What came under the key of a
        -- decision that the same transaction took away before is another one.
        gone := memory_maintenance.changed_values(former, NULL, paths) || jsonb_build_object('operation', TG_OP);
        IF NOT EXISTS (
            SELECT FROM memory_maintenance.event AS e
            WHERE e.table_name = filed_under
                AND e.fact_key = fact
                AND e.kind = 'decision-reopened'
                AND e.at >= transaction_timestamp()
                AND e.detail = gone
        ) THEN
            PERFORM memory_maintenance.note_guarded(TG_RELID, fact, 'decision-reopened', reason, gone);
        END IF;
    END LOOP;
    -- TRUNCATE also takes away what came after the snapshot, which nobody here sees: no reason could be recorded for it.
    IF current_setting('transaction_isolation') IN ('repeatable read', 'serializable')
        AND pg_relation_size(TG_RELID) > 0
    THEN
        RAISE EXCEPTION USING
            ERRCODE = 'MM001',
            MESSAGE = concat(
                'TRUNCATE of ', memory_maintenance.table_name(TG_RELID),
                ' may take away decisions that this transaction doesn''t see'
            ),
            DETAIL = concat(
                'In a transaction of isolation level ', current_setting('transaction_isolation'),
                ' nobody can tell whether one was recorded since its snapshot.'
            ),
            HINT = 'TRUNCATE in a transaction that is READ COMMITTED, or DELETE.';
    END IF;
    RETURN NULL;
END
$$;

CREATE FUNCTION memory_maintenance.lower_mood() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    type_map constant jsonb := nullif(TG_ARGV[2], '');
    reason constant text := memory_maintenance.given_reason('memory_maintenance.promotion_reason');
    asked constant jsonb := jsonb_build_object('durability', NEW.durability, 'category', NEW.category);
    also text[];
    former jsonb;
    before jsonb;
    fact text;
BEGIN
    IF NEW.durability IS NULL OR NEW.durability IN ('ephemeral', 'short_term') THEN
        RETURN NEW;
    END IF;
    also := memory_maintenance.columns_also(TG_ARGV[0], type_map);
    fact := memory_maintenance.guarded_row(NEW, '[]', also) ->> TG_ARGV[0];
    IF TG_OP = 'UPDATE' THEN
        former := memory_maintenance.guarded_fact(memory_maintenance.guarded_row(OLD, '[]', also), type_map);
        before := jsonb_build_object('durability', former -> 'durability', 'category', former -> 'category');
    END IF;
    IF reason IS NOT NULL THEN
        PERFORM memory_maintenance.note_guarded(
            TG_RELID,
            fact,
            'mood-promoted',
            reason,
            jsonb_build_object('operation', TG_OP, 'before', before, 'after', asked)
        );
        RETURN NEW;
    END IF;
    RAISE WARNING USING
        MESSAGE = concat(
            'fact ', fact, ' of ', memory_maintenance.table_name(coalesce(pg_partition_root(TG_RELID), TG_RELID)),
            ' is a mood: its durability is lowered from ', NEW.durability, ' to ephemeral'
        ),
        DETAIL = 'A mood may be ephemeral or short_term, nothing more. The fact is kept.',
        HINT = 'To keep it longer, give the reason in the same transaction: '
            'SET LOCAL memory_maintenance.promotion_reason = ''why it lasts'';';
    NEW.durability := 'ephemeral';
    PERFORM memory_maintenance.note_guarded(
        TG_RELID,
        fact,
        'mood-lowered',
        NULL,
        jsonb_build_object(
            'operation', TG_OP,
            'before', before,
            'asked', asked,
            'after', jsonb_build_object('durability', NEW.durability, 'category', NEW.category)
        )
    );
    RETURN NEW;
END
$$;

CREATE FUNCTION memory_maintenance.refuse_promotion() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    type_map constant jsonb := nullif(TG_ARGV[2], '');
    former constant jsonb := memory_maintenance.guarded_fact(
        memory_maintenance.guarded_row(OLD, '[]', memory_maintenance.columns_also(TG_ARGV[0], type_map)), type_map
    );
    fact constant text := former ->> TG_ARGV[0];
    reason constant text := memory_maintenance.given_reason('memory_maintenance.promotion_reason');
BEGIN
    IF reason IS NULL THEN
        RAISE EXCEPTION USING
            ERRCODE = 'MM002',
            MESSAGE = concat(
                'fact ', fact, ' of ', memory_maintenance.table_name(coalesce(pg_partition_root(TG_RELID), TG_RELID)),
                ' is a mood: ',
                CASE
                    WHEN NEW.category IS DISTINCT FROM 'mood' THEN 'it may not become another category'
                    ELSE concat('its durability may not rise from ', former ->> 'durability', ' to ', NEW.durability)
                END
            ),
            DETAIL = 'A mood may be ephemeral or short_term, nothing more, and stays a mood. A data_type written the old way '
                'counts as the durability and category that go with it.',
            HINT = 'Store what lasts as a fact of its own. To promote this one all the same, give the reason in the same '
                'transaction: SET LOCAL memory_maintenance.promotion_reason = ''why it lasts'';';
    END IF;
    PERFORM memory_maintenance.note_guarded(
        TG_RELID,
        fact,
        'mood-promoted',
        reason,
        jsonb_build_object(
            'operation', TG_OP,
            'before', jsonb_build_object('durability', former -> 'durability', 'category', former -> 'category'),
            'after', jsonb_build_object('durability', NEW.durability, 'category', NEW.category)
        )
    );
    RETURN NEW;
END
$$;

REVOKE ALL ON FUNCTION memory_maintenance.given_reason(text) FROM PUBLIC;
REVOKE ALL ON FUNCTION memory_maintenance.recordable(anyelement) FROM PUBLIC;
REVOKE ALL ON FUNCTION memory_maintenance.guarded_members(anyelement) FROM PUBLIC;
REVOKE ALL ON FUNCTION memory_maintenance.guarded_row(anyelement, jsonb, text[]) FROM PUBLIC;
REVOKE ALL ON FUNCTION memory_maintenance.columns_also(text, jsonb) FROM PUBLIC;
REVOKE ALL ON FUNCTION memory_maintenance.is_moved(jsonb, jsonb, jsonb, jsonb) FROM PUBLIC;
REVOKE ALL ON FUNCTION memory_maintenance.guarded_fact(jsonb, jsonb) FROM PUBLIC;
REVOKE ALL ON FUNCTION memory_maintenance.changed_values(jsonb, jsonb, jsonb) FROM PUBLIC;
REVOKE ALL ON FUNCTION memory_maintenance.note_guarded(oid, text, text, text, jsonb) FROM PUBLIC;
REVOKE ALL ON FUNCTION memory_maintenance.refuse_decision(oid, text, text, text) FROM PUBLIC;
REVOKE ALL ON FUNCTION memory_maintenance.refuse_reopening() FROM PUBLIC;
REVOKE ALL ON FUNCTION memory_maintenance.refuse_deletion() FROM PUBLIC;
REVOKE ALL ON FUNCTION memory_maintenance.refuse_truncation() FROM PUBLIC;
REVOKE ALL ON FUNCTION memory_maintenance.lower_mood() FROM PUBLIC;
REVOKE ALL ON FUNCTION memory_maintenance.refuse_promotion() FROM PUBLIC;
