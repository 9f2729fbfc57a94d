STATEMENTS = (
    "ALTER TABLE entity_facts ADD CONSTRAINT ef_kind_chk CHECK (data_type IN ('permanent', 'temporary'))",
    "CREATE INDEX CONCURRENTLY IF NOT EXISTS ef_kind_idx ON entity_facts (data_type) WHERE expires_at IS NULL",
    "COMMENT ON COLUMN entity_facts.data_type IS 'retired, see durability'",
    "COMMENT ON COLUMN tool_arguments.data_type IS 'as in entity_facts'",
    "CREATE INDEX ef_args_idx ON tool_arguments (data_type) WHERE tool = 'entity_facts'",
    "ALTER TABLE feature_store ALTER COLUMN data_type TYPE text",
)


def apply(conn):
    for statement in STATEMENTS:
        conn.execute(statement)
