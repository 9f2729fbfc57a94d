-- The confidence of one fact at several instants.
-- Parameters: those of facts/projection; instants. Slots: projected: the projection of the fact at i.as_of.
-- Result: at timestamptz, value: confidence, in the order of the instants. Locks: none.
SELECT i.as_of AS at, p.value
FROM pg_catalog.unnest(%(instants)s::timestamptz[]) WITH ORDINALITY AS i (as_of, place)
CROSS JOIN LATERAL ({projected}) AS p
ORDER BY i.place
