-- Rules that rewrite UPDATE of a table. Those of its partitions don't: PostgreSQL looks at the table that a
-- statement names.
-- Parameters: oid. Result: rule, definition text. Locks: none.
SELECT
    r.rulename::text AS rule,
    pg_get_ruledef(r.oid) AS definition
FROM pg_catalog.pg_rewrite AS r
WHERE r.ev_class = %(oid)s::oid AND r.ev_type = '2' AND r.ev_enabled IN ('O', 'A')
ORDER BY r.rulename
