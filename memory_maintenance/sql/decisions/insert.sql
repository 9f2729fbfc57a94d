-- A new fact. Parameters: those of values. Slots: facts; key; columns: names; values: one a column; former: the row
-- whose values are taken over, decisions/former, or nothing. Result: key. Locks: the new row's.
INSERT INTO {facts} ({columns})
SELECT {values}
{former}
RETURNING {key} AS key
