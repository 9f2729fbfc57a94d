-- Counts of one batch by policy, from the relations examined and written. A fragment.
-- Slots: computed: how many rows are to be written.
-- Result: policy_no; facts: examined; written, confidence_changed, importance_changed: rows; altered:
-- those that hold another confidence than we wrote; suppressed: rows of the whole batch that were to be written
-- and weren't; problem_count;
-- problem_keys, problem_texts: the first 100 problems of the whole batch, in key order, alike in every row.
SELECT
    coalesce(e.policy_no, w.policy_no) AS policy_no,
    coalesce(e.facts, 0) AS facts,
    coalesce(w.written, 0) AS written,
    coalesce(w.confidence_changed, 0) AS confidence_changed,
    coalesce(w.importance_changed, 0) AS importance_changed,
    coalesce(w.altered, 0) AS altered,
    {computed} - (SELECT pg_catalog.count(*) FROM written) AS suppressed,
    coalesce(e.problem_count, 0) AS problem_count,
    t.problem_keys,
    t.problem_texts
FROM (
    SELECT x.policy_no, pg_catalog.count(*) AS facts, pg_catalog.count(x.trouble) AS problem_count
    FROM examined AS x
    GROUP BY x.policy_no
) AS e
FULL JOIN (
    SELECT
        x.policy_no,
        pg_catalog.count(*) AS written,
        pg_catalog.count(*) FILTER (WHERE x.confidence_changed) AS confidence_changed,
        pg_catalog.count(*) FILTER (WHERE x.importance_changed) AS importance_changed,
        pg_catalog.count(*) FILTER (WHERE x.altered) AS altered
    FROM written AS x
    GROUP BY x.policy_no
) AS w ON w.policy_no = e.policy_no
CROSS JOIN (
    SELECT
        pg_catalog.array_agg(f.key ORDER BY f.key) AS problem_keys,
        pg_catalog.array_agg(f.trouble ORDER BY f.key) AS problem_texts
    FROM (
        SELECT x.key, x.trouble FROM examined AS x WHERE x.trouble IS NOT NULL ORDER BY x.key LIMIT 100
    ) AS f
) AS t
ORDER BY 1
