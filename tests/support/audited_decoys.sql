-- Beside audited_catalog.sql: an object of every kind that looks much the same and is about something else, be it
-- another table's data_type, that of information_schema, or an alias.
--
-- Purpose: none of these may be found. Needs audited_catalog.sql.
-- Locks:   as its DDL takes them. Several statements, for one transaction.

CREATE SCHEMA decoy;
CREATE TABLE decoy.sensors (
    id integer PRIMARY KEY,
    key text,
    data_type text DEFAULT 'observation' CHECK (data_type IN ('permanent', 'identity', 'observation')),
    entity_id integer
);

CREATE VIEW decoy.of_sensors AS SELECT id, data_type FROM decoy.sensors;
CREATE VIEW decoy.on_of_sensors AS SELECT id FROM decoy.of_sensors WHERE data_type = 'identity';
CREATE VIEW decoy.aliased AS SELECT entity_facts.data_type FROM decoy.sensors AS entity_facts;
CREATE VIEW decoy.columns AS
SELECT c.data_type FROM information_schema.columns AS c WHERE c.table_name = 'entity_facts';
CREATE VIEW decoy.named AS SELECT f.key AS data_type FROM public.entity_facts AS f;
CREATE VIEW decoy.on_named AS SELECT data_type FROM decoy.named;
CREATE VIEW decoy.with_it AS
WITH entity_facts AS (SELECT s.id, s.data_type FROM decoy.sensors AS s)
SELECT entity_facts.data_type FROM entity_facts;
CREATE VIEW decoy.other_columns AS SELECT id FROM reads.kinds WHERE id > 0;
CREATE VIEW decoy.both AS
SELECT s.data_type FROM decoy.sensors AS s JOIN public.entity_facts AS f ON f.entity_id = s.entity_id;
CREATE MATERIALIZED VIEW decoy.counts AS SELECT data_type, count(*) AS n FROM decoy.sensors GROUP BY 1;
CREATE INDEX counts_kind ON decoy.counts (data_type);
CREATE INDEX counts_facts ON reads.counts (facts);
COMMENT ON COLUMN reads.kinds.id IS 'not the data_type';

CREATE RULE noted AS ON DELETE TO decoy.sensors DO ALSO INSERT INTO public.log VALUES (old.data_type);
CREATE RULE of_keys AS ON DELETE TO public.entity_facts DO ALSO INSERT INTO public.log VALUES (old.key);

CREATE INDEX sensors_kind ON decoy.sensors (data_type) WHERE data_type = 'identity';
CREATE INDEX entity_facts_data_type_named ON public.entity_facts (key);
ALTER TABLE decoy.sensors ADD CONSTRAINT two CHECK (data_type <> key);
ALTER TABLE public.entity_facts ADD CONSTRAINT data_type_by_name CHECK (key <> 'data_type');
CREATE TABLE decoy.types (data_type varchar(20) PRIMARY KEY);
ALTER TABLE decoy.sensors ADD CONSTRAINT known FOREIGN KEY (data_type) REFERENCES decoy.types;

CREATE POLICY seen ON decoy.sensors USING (data_type <> 'identity');
CREATE POLICY by_key ON public.entity_facts USING (key <> 'data_type');
CREATE POLICY of_sensors ON public.entity_facts USING (EXISTS (
    SELECT FROM decoy.sensors AS s WHERE s.entity_id = entity_facts.entity_id AND s.data_type = 'identity'
));

ALTER TABLE decoy.sensors ADD COLUMN kind text GENERATED ALWAYS AS (upper(data_type)) STORED;
ALTER TABLE public.entity_facts ADD COLUMN key_kind text GENERATED ALWAYS AS (upper(key)) STORED;
ALTER TABLE public.entity_facts ALTER COLUMN visibility_reason SET DEFAULT 'data_type';
CREATE STATISTICS decoy.together ON key, data_type FROM decoy.sensors;
CREATE STATISTICS decoy.others ON key, entity_id FROM public.entity_facts;
CREATE PUBLICATION sensors_listed FOR TABLE decoy.sensors (id, data_type);
CREATE PUBLICATION others_listed FOR TABLE public.entity_facts (id, key) WHERE (id > 5);

CREATE TRIGGER of_it BEFORE UPDATE OF data_type ON decoy.sensors
FOR EACH ROW EXECUTE FUNCTION public.quiet();
CREATE TRIGGER when_it AFTER UPDATE ON decoy.sensors
FOR EACH ROW WHEN (OLD.data_type IS DISTINCT FROM NEW.data_type) EXECUTE FUNCTION public.quiet('data_type');
CREATE TRIGGER when_row AFTER UPDATE ON decoy.sensors
FOR EACH ROW WHEN (OLD.* IS DISTINCT FROM NEW.*) EXECUTE FUNCTION public.quiet();
CREATE TRIGGER of_key BEFORE UPDATE OF key ON public.entity_facts
FOR EACH ROW WHEN (NEW.key <> 'data_type') EXECUTE FUNCTION public.quiet('data_types', 'my_data_type');

GRANT SELECT (data_type) ON decoy.sensors TO mm_reader;
GRANT SELECT (key) ON public.entity_facts TO PUBLIC;
COMMENT ON COLUMN decoy.sensors.data_type IS 'of the entity_facts';
COMMENT ON COLUMN public.entity_facts.value IS 'its data_type tells how long it lasts';
INSERT INTO pg_catalog.pg_seclabel (objoid, classoid, objsubid, provider, label)
SELECT attrelid, 'pg_catalog.pg_class'::regclass, attnum, 'guard', 'data_type'
FROM pg_catalog.pg_attribute
WHERE (attrelid = 'decoy.sensors'::regclass AND attname = 'data_type')
    OR (attrelid = 'public.entity_facts'::regclass AND attname = 'key');

CREATE FUNCTION decoy.in_sql() RETURNS bigint LANGUAGE sql AS
$$SELECT count(*) FROM decoy.sensors AS entity_facts WHERE entity_facts.data_type = 'identity'$$;
CREATE FUNCTION decoy.in_plpgsql(data_type text) RETURNS void LANGUAGE plpgsql AS
$$BEGIN DELETE FROM public.entity_facts WHERE id = 1; UPDATE public.entities SET notes = data_type; END$$;
CREATE FUNCTION decoy.atomic(integer) RETURNS text
BEGIN ATOMIC
    SELECT s.data_type FROM decoy.sensors AS s JOIN public.entity_facts AS f USING (entity_id) WHERE f.id = $1;
END;
CREATE FUNCTION decoy.executed() RETURNS void LANGUAGE plpgsql AS
$$BEGIN EXECUTE 'SELECT data_type FROM information_schema.columns WHERE table_schema = ''public'''; END$$;
CREATE FUNCTION decoy.commented() RETURNS bigint LANGUAGE sql AS
$$SELECT count(*) FROM public.entity_facts -- by data_type, once
$$;
CREATE FUNCTION decoy.of_view() RETURNS bigint LANGUAGE sql AS
$$SELECT count(*) FROM reads.kinds AS k JOIN public.kinds AS o ON o.kind = 'identity' WHERE k.id = 1$$;
CREATE PROCEDURE decoy.away() LANGUAGE plpgsql AS
$$BEGIN DELETE FROM decoy.sensors WHERE data_type = 'temporal'; END$$;
CREATE FUNCTION decoy.on_ddl() RETURNS event_trigger LANGUAGE plpgsql AS
$$BEGIN PERFORM 1 FROM decoy.sensors WHERE data_type IS NULL; END$$;
CREATE EVENT TRIGGER at_ddl_too ON ddl_command_end EXECUTE FUNCTION decoy.on_ddl();

CREATE VIEW decoy.as_json AS SELECT to_jsonb(s) AS sensor FROM decoy.sensors AS s;
CREATE VIEW decoy.star AS SELECT s.* FROM decoy.sensors AS s;
CREATE TABLE decoy.kept (sensor decoy.sensors);
CREATE DOMAIN decoy.sound AS decoy.sensors;
CREATE FUNCTION decoy.is_sound(decoy.sensors) RETURNS boolean LANGUAGE sql IMMUTABLE AS 'SELECT true';
ALTER TABLE decoy.sensors ADD CONSTRAINT whole CHECK (decoy.is_sound(sensors));
CREATE INDEX of_sound ON decoy.sensors (id) WHERE decoy.is_sound(sensors);
CREATE INDEX of_stars ON public.entity_facts (id) WHERE value <> 'entity_facts.*';
CREATE POLICY of_row ON decoy.sensors USING (decoy.is_sound(sensors));
CREATE FUNCTION decoy.every_row() RETURNS SETOF decoy.sensors LANGUAGE sql AS
$$SELECT s.* FROM decoy.sensors AS s JOIN public.entity_facts AS f ON f.entity_id = s.entity_id$$;
CREATE FUNCTION decoy.counted() RETURNS bigint LANGUAGE sql AS $$SELECT count(*) FROM public.entity_facts$$;
CREATE FUNCTION decoy.atomic_rows() RETURNS SETOF jsonb
BEGIN ATOMIC
    SELECT to_jsonb(s) FROM decoy.sensors AS s JOIN public.entity_facts AS f USING (entity_id);
END;

CREATE FOREIGN TABLE decoy.far_sensors (data_type text)
SERVER here OPTIONS (schema_name 'decoy', table_name 'sensors');
CREATE FOREIGN TABLE decoy.far_schema (data_type text)
SERVER here OPTIONS (schema_name 'decoy', table_name 'entity_facts');
CREATE FOREIGN TABLE decoy.far_others (id integer, data_type text OPTIONS (column_name 'key'))
SERVER here OPTIONS (schema_name 'public', table_name 'entity_facts');

INSERT INTO cron.job (jobid, jobname, schedule, command, database) VALUES
(11, 'elsewhere', '0 3 * * *', 'UPDATE public.entity_facts SET data_type = 1', 'reports'),
(12, 'sensors', '0 3 * * *', 'DELETE FROM decoy.sensors WHERE data_type = 1', current_database()),
(13, 'catalog', '0 3 * * *', 'SELECT data_type FROM information_schema.columns', current_database()),
(14, 'aliased', '0 3 * * *', 'DELETE FROM decoy.sensors AS entity_facts WHERE entity_facts.data_type = 1', current_database()),
(15, 'data_type', '0 3 * * *', 'SELECT count(*) FROM public.entity_facts -- data_type', current_database()),
(16, 'done', '0 3 * * *', $j$DO $b$BEGIN DELETE FROM decoy.sensors WHERE data_type = '1'; END$b$$j$, current_database()),
(17, 'export', '0 3 * * *', 'COPY (SELECT s.* FROM decoy.sensors AS s, public.entity_facts) TO ''/dev/null''', current_database());
