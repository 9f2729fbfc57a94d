-- Ends a script where the table, or what depends on it, isn't what the script was written for.
-- Parameters: expected: the digest at that time; refusal: what to fail with; those of fingerprint. Slots:
-- fingerprint: migration/contract_fingerprint. Result: one row. Locks: none.
SELECT CASE
    WHEN ({fingerprint}) IS DISTINCT FROM %(expected)s THEN memory_maintenance.refuse(%(refusal)s)
END
