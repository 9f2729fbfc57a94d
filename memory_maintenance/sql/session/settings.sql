-- Applies every session setting of ours, on each connect (spec 9).
-- Parameters: application_name; *_ms: milliseconds as text; search_path: ours.
-- Result: one row of the values set. Locks: none.
-- row_security = off turns a policy that hides rows into an error, where otherwise half of the table would
-- be maintained in silence. The isolation level is ours: batches rely on READ COMMITTED.
-- extra_float_digits keeps doubles exact on the wire. JIT costs more than it gives on short statements.
-- Where commits are asynchronous they are made durable on this server, standbys apart: a run that goes on after
-- the server crashed relies on its earlier batches and on its ledger row.
SELECT
    set_config('application_name', %(application_name)s, false),
    set_config('lock_timeout', %(lock_timeout_ms)s, false),
    set_config('statement_timeout', %(statement_timeout_ms)s, false),
    set_config('idle_in_transaction_session_timeout', %(idle_in_transaction_session_timeout_ms)s, false),
    set_config('TimeZone', 'UTC', false),
    set_config('DateStyle', 'ISO, YMD', false),
    set_config('IntervalStyle', 'postgres', false),
    set_config('search_path', %(search_path)s, false),
    set_config('row_security', 'off', false),
    set_config('default_transaction_isolation', 'read committed', false),
    set_config('extra_float_digits', '3', false),
    set_config('bytea_output', 'hex', false),
    set_config('quote_all_identifiers', 'off', false),
    set_config('client_min_messages', 'warning', false),
    set_config('client_encoding', 'UTF8', false),
    set_config('standard_conforming_strings', 'on', false),
    set_config(
        'synchronous_commit',
        CASE current_setting('synchronous_commit')
            WHEN 'off' THEN 'local'
            ELSE current_setting('synchronous_commit')
        END,
        false
    ),
    set_config('jit', 'off', false)
