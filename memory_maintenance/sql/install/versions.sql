-- Which numbered files of our schema are installed. Result: version int, name text. Locks: none.
SELECT v.version, v.name FROM memory_maintenance.schema_version AS v ORDER BY v.version
