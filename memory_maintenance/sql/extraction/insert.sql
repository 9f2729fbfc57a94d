-- A new fact. Slots: facts; key; columns: names; values: one a column. Result: key; no row where a trigger
-- suppresses it. Locks: the new row's.
INSERT INTO {facts} ({columns})
VALUES ({values})
RETURNING {key} AS key
