-- How batches are planned. Result: one row. Locks: none.
-- Each of them is prepared once a connection, and the plan of a key range is the same whatever the parameters.
-- JIT costs more than it gives on short statements. A nested loop is what an estimate of few rows leads to, on a
-- table without statistics above all: with a batch of thousands it takes the square of them.
SELECT
    set_config('jit', 'off', false),
    set_config('enable_nestloop', 'off', false),
    set_config('plan_cache_mode', 'force_generic_plan', false)
