-- A shorter lock_timeout until the end of the transaction, so that DDL never queues behind a long query and
-- stalls everyone after it. Parameters: lock_timeout_ms: text. Result: one row.
SELECT set_config('lock_timeout', %(lock_timeout_ms)s, true)
