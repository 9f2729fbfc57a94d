-- The jobs that pg_cron runs in this database, as far as this role may see them.
-- Parameters: none. Slots: name: of text, "" for none; active: whether it is run, each an expression over j.
-- Result: id bigint; name, command, definition text: the call that schedules it; active bool.
-- Locks: ACCESS SHARE on cron.job.
SELECT
    j.jobid AS id,
    coalesce({name}, '') AS name,
    j.command,
    format(
        'SELECT cron.schedule(%%s%%L, %%L)',
        quote_literal(nullif({name}, '')) || ', ',
        j.schedule,
        j.command
    ) AS definition,
    coalesce({active}, true) AS active
FROM cron.job AS j
WHERE j.database = current_database()::text AND j.command IS NOT NULL
ORDER BY j.jobid
