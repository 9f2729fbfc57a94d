-- Remembers, in a script's session, which trigger notes keys from here on. Slots: noting: migration/contract_noting,
-- whose parameters it takes. Result: one row. Locks: none.
SELECT set_config('memory_maintenance.noting', coalesce((SELECT n.version FROM ({noting}) AS n), ''), false)
