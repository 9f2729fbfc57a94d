-- How long a statement of monitoring may take, until the end of the transaction.
-- Parameters: statement_timeout_ms: text. Result: one row. Locks: none.
SELECT set_config('statement_timeout', %(statement_timeout_ms)s, true)
