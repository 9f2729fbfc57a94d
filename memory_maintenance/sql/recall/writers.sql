-- The roles beside the owner that could write what recall executes: as a trigger, or where the trigger that refuses
-- them isn't in force. Result: role. Locks: none.
SELECT DISTINCT
    CASE WHEN a.grantee = 0::oid THEN 'PUBLIC' ELSE pg_get_userbyid(a.grantee)::text END AS role
FROM pg_class AS c
JOIN pg_namespace AS n ON n.oid = c.relnamespace
CROSS JOIN LATERAL (
    SELECT c.relacl
    UNION ALL
    SELECT t.attacl FROM pg_attribute AS t WHERE t.attrelid = c.oid
) AS l (acl)
CROSS JOIN LATERAL aclexplode(l.acl) AS a
WHERE n.nspname = 'memory_maintenance'
    AND c.relname = 'recall_plan'
    AND a.grantee <> c.relowner
    AND (
        a.privilege_type = 'TRIGGER'
        OR (
            a.privilege_type IN ('INSERT', 'UPDATE')
            AND NOT EXISTS (
                SELECT
                FROM pg_trigger AS g
                WHERE g.tgrelid = c.oid AND g.tgname = 'refuse_plan' AND g.tgenabled = 'A'
            )
        )
    )
ORDER BY role
