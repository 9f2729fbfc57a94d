-- What the ledger says of the runs on a table, by command, of each the last so many.
-- Parameters: table_name; rows: how many of each command, at most. Result: command; runs; failures (failed, interrupted, died); last_success_at: when the
-- last one that ended by itself ended; failures_since: those that began after that one; mean_s, longest_s: seconds, over those that ended by themselves, NULL
-- for none; keys: numbers of the failures since. Locks: none.
WITH numbered AS (
    SELECT
        r.id, r.command, r.started_at, r.finished_at, r.status,
        row_number() OVER (PARTITION BY r.command ORDER BY r.started_at DESC, r.id DESC) AS place
    FROM memory_maintenance.run AS r
    WHERE r.table_name = %(table_name)s::text
),
judged AS (
    SELECT
        n.id,
        n.command,
        n.finished_at,
        n.place,
        n.status IN ('done', 'findings') AS succeeded,
        n.status IN ('failed', 'interrupted', 'died') AS failed,
        date_part('epoch', n.finished_at - n.started_at) AS duration_s,
        min(n.place) FILTER (WHERE n.status IN ('done', 'findings')) OVER (PARTITION BY n.command) AS last_success
    FROM numbered AS n
    WHERE n.place <= %(rows)s::int8
)
SELECT
    j.command,
    count(*) AS runs,
    count(*) FILTER (WHERE j.failed) AS failures,
    max(j.finished_at) FILTER (WHERE j.place = j.last_success) AS last_success_at,
    count(*) FILTER (WHERE j.failed AND j.place < coalesce(j.last_success, j.place + 1)) AS failures_since,
    avg(j.duration_s) FILTER (WHERE j.succeeded) AS mean_s,
    max(j.duration_s) FILTER (WHERE j.succeeded) AS longest_s,
    array_agg(j.id ORDER BY j.id) FILTER (WHERE j.failed AND j.place < coalesce(j.last_success, j.place + 1)) AS keys
FROM judged AS j
GROUP BY j.command
ORDER BY runs DESC, j.command
