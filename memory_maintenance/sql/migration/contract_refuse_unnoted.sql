-- Ends a script where the trigger that notes keys isn't the one that was remembered, or doesn't fire.
-- Parameters: refusal: what to fail with; those of noting. Slots: noting: migration/contract_noting.
-- Result: one row. Locks: none.
SELECT CASE
    WHEN NOT EXISTS (
        SELECT FROM ({noting}) AS n
        WHERE n.always AND n.version = current_setting('memory_maintenance.noting', true)
    ) THEN memory_maintenance.refuse(%(refusal)s)
END
