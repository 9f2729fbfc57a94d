-- Settings of the building transaction, which may load a million rows.
--
-- Purpose: no statement timeout, memory for building indexes; all end with the transaction. The planner
--          can't know how many rows a generator yields: left to itself it joins them to the people by
--          nested loops, which takes minutes where hashing takes seconds.
-- Result:  one row, of no interest.
-- Locks:   none.

SELECT
    set_config('statement_timeout', '0', true) AS statement_timeout,
    set_config('synchronous_commit', 'off', true) AS synchronous_commit,
    set_config('maintenance_work_mem', '256MB', true) AS maintenance_work_mem,
    set_config('work_mem', '128MB', true) AS work_mem,
    set_config('enable_nestloop', 'off', true) AS enable_nestloop,
    set_config('jit', 'off', true) AS jit
