-- A new entity, unless there is one already by what is unique among them.
-- Slots: entities; column: their key; columns: names; values: one a column. Result: key; no row where there is one.
-- Locks: the new row's.
INSERT INTO {entities} ({columns})
VALUES ({values})
ON CONFLICT DO NOTHING
RETURNING {column} AS key
