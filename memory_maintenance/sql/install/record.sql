-- Notes that a numbered file was installed. Parameters: version, name. Locks: a row.
INSERT INTO memory_maintenance.schema_version (version, name) VALUES (%(version)s, %(name)s)
