-- Our schema and what a run leaves in it (spec 2, 3, 9): the ledger, events, adoption, migration state.
-- No parameters, no slots. Locks: none that others hold.
CREATE SCHEMA IF NOT EXISTS memory_maintenance;

COMMENT ON SCHEMA memory_maintenance IS
    'memory-maintenance: run ledger, events and functions. Maintained by its command line tool.';

CREATE TABLE memory_maintenance.schema_version (
    version integer PRIMARY KEY,
    name text NOT NULL,
    installed_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    installed_by text NOT NULL DEFAULT session_user
);

COMMENT ON TABLE memory_maintenance.schema_version IS 'The numbered files that were installed, each once.';

CREATE TABLE memory_maintenance.run (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    command text NOT NULL,
    table_name text NOT NULL,
    as_of timestamptz NOT NULL,
    version text NOT NULL,
    config_hash text NOT NULL,
    started_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    finished_at timestamptz,
    status text NOT NULL DEFAULT 'running',
    computed_confidence boolean NOT NULL DEFAULT false,
    counts jsonb NOT NULL DEFAULT '{{}}',
    error text,
    started_by text NOT NULL DEFAULT session_user,
    CONSTRAINT run_status CHECK (
        status IN ('running', 'done', 'findings', 'failed', 'interrupted', 'died')
    ),
    CONSTRAINT run_finished CHECK ((status = 'running') = (finished_at IS NULL))
);

CREATE INDEX run_passes ON memory_maintenance.run (table_name, as_of DESC) WHERE computed_confidence;

CREATE INDEX run_started ON memory_maintenance.run (table_name, started_at DESC);

COMMENT ON TABLE memory_maintenance.run IS 'Every run that was not a dry run, committed before its work begins.';
COMMENT ON COLUMN memory_maintenance.run.as_of IS 'The instant that the run reckoned with.';
COMMENT ON COLUMN memory_maintenance.run.config_hash IS 'SHA-256 of the effective policy.';
COMMENT ON COLUMN memory_maintenance.run.computed_confidence IS
    'Whether a pass over the confidence of the whole table was completed; the highest as_of of these is the previous pass.';

CREATE TABLE memory_maintenance.adoption (
    table_name text PRIMARY KEY,
    adopted_at timestamptz NOT NULL,
    adopt text NOT NULL CHECK (adopt IN ('now', 'history')),
    recorded_at timestamptz NOT NULL DEFAULT clock_timestamp()
);

COMMENT ON TABLE memory_maintenance.adoption IS
    'When a table came under our care: confidence stored before is not decayed for the time before. Written once, by the first decay.';

CREATE TABLE memory_maintenance.event (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    at timestamptz NOT NULL DEFAULT clock_timestamp(),
    table_name text NOT NULL,
    fact_key text,
    kind text NOT NULL,
    reason text,
    detail jsonb NOT NULL DEFAULT '{{}}',
    recorded_by text NOT NULL DEFAULT session_user
);

CREATE INDEX event_fact ON memory_maintenance.event (table_name, fact_key, at);

COMMENT ON TABLE memory_maintenance.event IS 'What happened to single facts, and why.';

CREATE TABLE memory_maintenance.migration (
    table_name text PRIMARY KEY,
    type_map jsonb NOT NULL,
    columns_added text[] NOT NULL,
    started_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    verified_at timestamptz
);

COMMENT ON TABLE memory_maintenance.migration IS 'Where migrate-types stands with a table, and which columns it added.';
COMMENT ON COLUMN memory_maintenance.migration.type_map IS
    'The map by which the stored facts were classified; a new one is written once backfill has applied it.';

CREATE FUNCTION memory_maintenance.table_name(relation oid) RETURNS text
LANGUAGE sql STABLE
SET search_path = pg_catalog, pg_temp
AS $$
SELECT string_agg(
    CASE WHEN p.name ~ '^[a-z_][a-z0-9_]*$' THEN p.name ELSE '"' || replace(p.name, '"', '""') || '"' END,
    '.' ORDER BY p.place
)
FROM pg_class AS c
JOIN pg_namespace AS n ON n.oid = c.relnamespace
CROSS JOIN LATERAL (VALUES (1, n.nspname::text), (2, c.relname::text)) AS p (place, name)
WHERE c.oid = relation
$$;

COMMENT ON FUNCTION memory_maintenance.table_name(oid) IS
    'The name by which the tables of this schema know a table: with its schema, quoted where it is not plain.';
