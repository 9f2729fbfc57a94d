-- Opens a run's row; it is committed before any work (spec 9).
-- Parameters: command, table_name, as_of, version, config_hash. Result: id bigint. Locks: none others want.
INSERT INTO memory_maintenance.run (command, table_name, as_of, version, config_hash)
VALUES (%(command)s, %(table_name)s, %(as_of)s, %(version)s, %(config_hash)s)
RETURNING id
