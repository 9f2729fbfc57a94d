-- Hands the map to the server and nothing more: it refuses characters that the database's encoding lacks.
-- Parameters: type_map: JSON. Result: one row. Locks: none.
SELECT %(type_map)s::jsonb IS NOT NULL AS taken
