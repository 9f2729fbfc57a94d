-- At least one object of every kind that an audit of a legacy database has to find, data_type being the column.
--
-- Purpose: each object's name says what it does with the column. Needs the legacy schema. The lists of a pg_cron
--          that isn't there and of security labels without a provider are filled by hand: nothing runs them.
-- Locks:   as its DDL takes them. Several statements, for one transaction.

CREATE SCHEMA reads;
CREATE SCHEMA further;
CREATE SCHEMA far;

-- views, and views on views
CREATE VIEW reads.by_kind AS SELECT id FROM public.entity_facts WHERE data_type = 'identity';
CREATE VIEW reads.kinds AS SELECT id, f.data_type AS kind FROM public.entity_facts AS f;
CREATE VIEW reads.everywhere AS
SELECT id, key, data_type FROM public.entity_facts
UNION ALL
SELECT id, key, data_type FROM public.entity_facts_archive;
CREATE VIEW reads.inside AS
SELECT q.id, q.sort FROM (SELECT id, upper(key) AS key, data_type::text AS sort FROM public.entity_facts) AS q;
CREATE VIEW reads.archived AS SELECT id, data_type FROM public.entity_facts_archive;
CREATE VIEW reads.recursive AS
WITH RECURSIVE walk (id, what) AS (
    SELECT id, data_type FROM public.entity_facts WHERE id = 1
    UNION ALL
    SELECT f.id, walk.what FROM walk JOIN public.entity_facts AS f ON f.id = walk.id + 1
)
SELECT id, what FROM walk;
CREATE VIEW further.shown_again AS SELECT id, kind AS what FROM reads.kinds;
CREATE VIEW further.filtered AS SELECT id FROM further.shown_again WHERE what = 'identity';
CREATE VIEW further.of_everywhere AS SELECT key FROM reads.everywhere WHERE data_type = 'identity';
CREATE VIEW further.of_inside AS SELECT id FROM reads.inside ORDER BY sort;
CREATE VIEW further.of_archived AS SELECT DISTINCT data_type FROM reads.archived;
CREATE VIEW further.of_recursive AS SELECT max(what) AS most FROM reads.recursive;
CREATE MATERIALIZED VIEW reads.counts AS
SELECT data_type, count(*) AS facts FROM public.entity_facts GROUP BY data_type;
CREATE INDEX counts_kind ON reads.counts (data_type);
CREATE VIEW further.of_counts AS SELECT facts FROM reads.counts WHERE data_type = 'identity';
CREATE MATERIALIZED VIEW further.stored AS SELECT what FROM further.shown_again;
COMMENT ON COLUMN reads.kinds.kind IS 'what kind of fact it is';
ALTER VIEW reads.kinds ALTER COLUMN kind SET DEFAULT 'observation';

-- rules
CREATE TABLE public.log (kind text);
CREATE RULE noted AS ON DELETE TO public.entity_facts DO ALSO
INSERT INTO public.log VALUES (old.data_type);
CREATE RULE passed_on AS ON INSERT TO public.log DO ALSO
UPDATE public.entity_facts SET data_type = new.kind WHERE id = 1;

-- indexes and constraints
CREATE INDEX of_identities ON public.entity_facts (entity_id) WHERE data_type = 'identity';
CREATE INDEX of_lowered ON public.entity_facts (lower(data_type));
ALTER TABLE public.entity_facts ADD CONSTRAINT two CHECK (data_type <> key);
ALTER TABLE public.entity_facts ADD CONSTRAINT once UNIQUE (id, data_type);
CREATE TABLE public.kinds (kind varchar(20) PRIMARY KEY);
ALTER TABLE public.entity_facts ADD CONSTRAINT known FOREIGN KEY (data_type) REFERENCES public.kinds;

-- policies
CREATE POLICY seen ON public.entity_facts USING (data_type <> 'identity');
CREATE POLICY beside ON public.entities USING (EXISTS (
    SELECT FROM public.entity_facts AS f WHERE f.entity_id = entities.id AND f.data_type = 'identity'
));

-- statistics and publications
CREATE STATISTICS public.together ON key, data_type FROM public.entity_facts;
CREATE PUBLICATION listed FOR TABLE public.entity_facts (id, data_type);
CREATE PUBLICATION filtered FOR TABLE public.entity_facts WHERE (data_type <> 'temporal');

-- triggers
CREATE FUNCTION public.quiet() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NEW; END';
CREATE TRIGGER of_it BEFORE UPDATE OF data_type ON public.entity_facts
FOR EACH ROW EXECUTE FUNCTION public.quiet();
CREATE TRIGGER when_it AFTER UPDATE ON public.entity_facts
FOR EACH ROW WHEN (OLD.data_type IS DISTINCT FROM NEW.data_type) EXECUTE FUNCTION public.quiet();
CREATE TRIGGER when_row AFTER UPDATE ON public.entity_facts
FOR EACH ROW WHEN (OLD.* IS DISTINCT FROM NEW.*) EXECUTE FUNCTION public.quiet();
CREATE TRIGGER told_it AFTER INSERT ON public.entity_facts
FOR EACH ROW EXECUTE FUNCTION public.quiet('key', 'data_type');

-- privileges, comments, labels
GRANT SELECT (data_type) ON public.entity_facts TO mm_reader;
GRANT SELECT (data_type) ON public.entity_facts TO PUBLIC;
COMMENT ON COLUMN public.entity_facts_archive.data_type IS 'as the fact had it';
INSERT INTO pg_catalog.pg_seclabel (objoid, classoid, objsubid, provider, label)
SELECT attrelid, 'pg_catalog.pg_class'::regclass, attnum, 'guard', 'internal'
FROM pg_catalog.pg_attribute
WHERE attrelid = 'public.entity_facts'::regclass AND attname = 'data_type';

-- functions and procedures
CREATE FUNCTION reads.in_sql() RETURNS bigint LANGUAGE sql AS
$$SELECT count(*) FROM entity_facts WHERE data_type = 'identity'$$;
CREATE FUNCTION reads.in_plpgsql() RETURNS void LANGUAGE plpgsql AS
$$BEGIN UPDATE public.entity_facts SET data_type = 'observation' WHERE id = 1; END$$;
CREATE FUNCTION reads.atomic(integer) RETURNS text
BEGIN ATOMIC
    SELECT data_type FROM public.entity_facts WHERE id = $1;
END;
CREATE FUNCTION reads.executed() RETURNS void LANGUAGE plpgsql AS
$$BEGIN EXECUTE 'UPDATE entity_facts SET data_type = NULL'; END$$;
CREATE FUNCTION reads.formatted(which text) RETURNS void LANGUAGE plpgsql AS
$$BEGIN EXECUTE format('DELETE FROM %I WHERE data_type = %L', which, 'temporal'); END$$;
CREATE FUNCTION reads.of_view() RETURNS bigint LANGUAGE sql AS
$$SELECT count(*) FROM reads.kinds WHERE kind = 'identity'$$;
CREATE FUNCTION reads.of_archive() RETURNS bigint LANGUAGE sql AS
$$SELECT count(*) FROM public.entity_facts_archive AS a WHERE a.data_type = 'identity'$$;
CREATE PROCEDURE reads.away() LANGUAGE plpgsql AS
$$BEGIN DELETE FROM public.entity_facts WHERE data_type = 'temporal'; END$$;
CREATE PROCEDURE reads.moved() LANGUAGE sql AS
$$INSERT INTO public.entity_facts_archive SELECT * FROM public.entity_facts WHERE confidence < 0.1$$;
CREATE FUNCTION reads.on_ddl() RETURNS event_trigger LANGUAGE plpgsql AS
$$BEGIN PERFORM 1 FROM public.entity_facts WHERE data_type IS NULL; END$$;
CREATE EVENT TRIGGER at_ddl ON ddl_command_end EXECUTE FUNCTION reads.on_ddl();

-- whole rows
CREATE VIEW reads.as_json AS SELECT to_jsonb(f) AS fact FROM public.entity_facts AS f;
CREATE TABLE public.kept (fact public.entity_facts_archive);
CREATE DOMAIN public.sound AS public.entity_facts_archive;
CREATE FUNCTION public.is_sound(public.entity_facts) RETURNS boolean LANGUAGE sql IMMUTABLE AS 'SELECT true';
ALTER TABLE public.entity_facts ADD CONSTRAINT whole CHECK (public.is_sound(entity_facts));
CREATE INDEX of_sound ON public.entity_facts (id) WHERE public.is_sound(entity_facts);
CREATE POLICY of_row ON public.entity_facts USING (public.is_sound(entity_facts));
CREATE FUNCTION reads.atomic_rows() RETURNS SETOF jsonb
BEGIN ATOMIC
    SELECT to_jsonb(f) FROM public.entity_facts AS f;
END;
CREATE FUNCTION reads.every_row() RETURNS SETOF jsonb LANGUAGE plpgsql AS
$$DECLARE r record; BEGIN FOR r IN SELECT * FROM public.entity_facts LOOP RETURN NEXT to_jsonb(r); END LOOP; END$$;

-- foreign tables
CREATE FOREIGN DATA WRAPPER postgres_fdw;
CREATE FOREIGN DATA WRAPPER other_fdw;
CREATE SERVER elsewhere FOREIGN DATA WRAPPER postgres_fdw OPTIONS (dbname 'reports');
CREATE SERVER mirror FOREIGN DATA WRAPPER other_fdw;
DO $do$
BEGIN
    EXECUTE format(
        'CREATE SERVER here FOREIGN DATA WRAPPER postgres_fdw OPTIONS (dbname %L)', current_database()
    );
END
$do$;
CREATE FOREIGN TABLE far.facts (id integer, kind text OPTIONS (column_name 'data_type'))
SERVER here OPTIONS (schema_name 'public', table_name 'entity_facts');
CREATE VIEW far.on_facts AS SELECT id FROM far.facts WHERE kind = 'identity';
CREATE FOREIGN TABLE far.entity_facts_archive (id integer, data_type text)
SERVER elsewhere OPTIONS (schema_name 'public');
CREATE FOREIGN TABLE far.mirrored (data_type text) SERVER mirror OPTIONS (table_name 'entity_facts');

-- generated columns: last, or the archive would have too few
ALTER TABLE public.entity_facts ADD COLUMN stored_kind text GENERATED ALWAYS AS (upper(data_type)) STORED;
ALTER TABLE public.entity_facts ADD COLUMN virtual_kind text GENERATED ALWAYS AS (lower(data_type)) VIRTUAL;

-- pg_cron, as far as an audit reads it
CREATE SCHEMA cron;
CREATE TABLE cron.job (
    jobid bigserial PRIMARY KEY,
    schedule text NOT NULL,
    command text NOT NULL,
    nodename text NOT NULL DEFAULT 'localhost',
    nodeport integer NOT NULL DEFAULT 5432,
    database text NOT NULL DEFAULT current_database(),
    username text NOT NULL DEFAULT current_user,
    active boolean NOT NULL DEFAULT true,
    jobname text
);
ALTER TABLE cron.job ENABLE ROW LEVEL SECURITY;
CREATE POLICY cron_job_policy ON cron.job USING (username = current_user);
GRANT USAGE ON SCHEMA cron TO PUBLIC;
GRANT SELECT ON cron.job TO PUBLIC;
INSERT INTO cron.job (jobid, jobname, schedule, command) VALUES
(1, 'forget', '0 3 * * *', $$DELETE FROM public.entity_facts WHERE data_type = 'temporal'$$),
(2, NULL, '0 4 * * *', $j$DO $b$BEGIN UPDATE public.entity_facts SET data_type = 'x' WHERE id = 1; END$b$$j$),
(3, 'put together', '0 5 * * *', $j$DO $b$BEGIN EXECUTE 'UPDATE ' || 'entity_facts SET data_type = 1'; END$b$$j$),
(4, 'by a view', '0 6 * * *', $$SELECT 1; SELECT count(*) FROM reads.kinds WHERE kind = 'identity'$$),
(5, 'copied', '0 7 * * *', $$INSERT INTO public.entity_facts_archive SELECT * FROM public.entity_facts$$),
(6, 'exported', '0 8 * * *', $$COPY (SELECT f.* FROM public.entity_facts AS f) TO '/dev/null'$$);
