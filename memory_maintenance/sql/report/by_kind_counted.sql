-- Facts by kind, where no keys are wanted. Slots: kinds: a relation of kind text and key. Result: kind, facts, keys: NULL.
-- Locks: none.
SELECT k.kind, pg_catalog.count(*) AS facts, NULL::text[] AS keys
FROM ({kinds}) AS k
GROUP BY k.kind
