-- Records what happened to a fact.
-- Parameters: relation: the table's oid; fact_key: the key as text; kind; reason or NULL; detail: JSON.
-- Locks: none that others wait for.
INSERT INTO memory_maintenance.event (table_name, fact_key, kind, reason, detail)
VALUES (
    memory_maintenance.table_name(%(relation)s::oid),
    %(fact_key)s::text,
    %(kind)s::text,
    %(reason)s::text,
    %(detail)s::jsonb
)
