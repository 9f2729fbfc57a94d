-- How many facts fall below the archive threshold on each day after the report's instant, by policy.
-- Parameters: those of report/forecast_crossings. Slots: crossings: that. Result: day: from 1; policy_no; facts; keys: NULL. Locks: none.
SELECT c.day, c.policy_no, pg_catalog.count(*) AS facts, NULL AS keys
FROM ({crossings}) AS c
GROUP BY c.day, c.policy_no
ORDER BY c.day, c.policy_no
