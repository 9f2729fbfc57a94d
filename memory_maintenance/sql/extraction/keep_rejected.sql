-- Keeps what is not stored. Parameters: relation: the facts table's oid; index; raw; because. Locks: none that
-- others wait for.
INSERT INTO memory_maintenance.rejected (table_name, index, raw, because)
VALUES (
    memory_maintenance.table_name(%(relation)s::oid),
    %(index)s::int4,
    %(raw)s::text,
    %(because)s::text
)
