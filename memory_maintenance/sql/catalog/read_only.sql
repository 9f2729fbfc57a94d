-- Has the server refuse every write until the end of the transaction or savepoint. Result: one row. Locks: none.
SELECT set_config('transaction_read_only', 'on', true) AS read_only
