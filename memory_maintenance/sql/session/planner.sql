-- How batches are planned, on tables where no trigger of others would be planned likewise. Result: one row.
-- Each batch is prepared once a connection, and the plan of a key range is the same whatever the parameters. A
-- nested loop is what an estimate of few rows leads to, on a table without statistics above all: with a batch of
-- thousands it takes the square of them. Locks: none.
SELECT
    set_config('enable_nestloop', 'off', false),
    set_config('plan_cache_mode', 'force_generic_plan', false)
