-- A value that was kept, where the row has none of its own, else the row's. An expression on f and r.
-- Slots: free: whether the row has none, a condition on f and r; name: a literal; type; column. Locks: none.
CASE WHEN {free} AND r.kept ->> {name}::text IS NOT NULL THEN (r.kept ->> {name}::text)::{type} ELSE f.{column} END
AS {column}
