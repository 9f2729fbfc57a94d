CREATE TABLE IF NOT EXISTS entity_facts (
    id          bigserial PRIMARY KEY,
    entity_id   bigint NOT NULL,
    key         text NOT NULL,
    value       text,
    data_type   text NOT NULL DEFAULT 'observation'
                CHECK (data_type IN ('permanent', 'identity', 'observation', 'temporary'))
);

CREATE TABLE tool_arguments (
    tool_id     bigint,
    name        text,
    data_type   text CHECK (data_type IN ('string', 'number'))
);

CREATE TABLE entity_facts_archive (LIKE entity_facts INCLUDING DEFAULTS);
