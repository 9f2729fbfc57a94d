-- Writes what was decided about obligations, from the row versions that it was decided on, and their events.
-- Parameters: changes: a JSON array of {{key, version, deadline, set, drop, events}}: deadline: the new one, an
-- instant as text, or null; set, drop: members of data.obligation to add and to take away; events: {{kind, reason,
-- detail}}; relation: the table's oid. Slots: facts; key; key_type; assignments.
-- Result: key; same: whether the row was still that version; written. Locks: FOR NO KEY UPDATE on the rows, in the
-- order of keys, then their update.
-- A row that a writer changed meanwhile is locked and left as it is. A deadline that passes is recorded once a fact
-- and deadline, whatever the clock does.
WITH change AS MATERIALIZED (
    SELECT (c.change ->> 'key'::text)::{key_type} AS key, c.change ->> 'version'::text AS version, c.change
    FROM pg_catalog.jsonb_array_elements(%(changes)s::jsonb) AS c (change)
),
locked AS MATERIALIZED (
    SELECT f.{key} AS key, f.ctid::text AS version, c.version AS examined_version, c.change
    FROM {facts} AS f
    JOIN change AS c ON c.key = f.{key}
    WHERE f.{key} = ANY (ARRAY(SELECT x.key FROM change AS x))
    ORDER BY f.{key}
    FOR NO KEY UPDATE OF f
),
written AS (
    UPDATE {facts} AS f
    SET {assignments}
    FROM locked AS l
    WHERE f.{key} = l.key
        AND l.version = l.examined_version
        AND f.{key} = ANY (ARRAY(SELECT x.key FROM change AS x))
    RETURNING f.{key} AS key
),
recorded AS (
    INSERT INTO memory_maintenance.event (table_name, fact_key, kind, reason, detail)
    SELECT
        memory_maintenance.table_name(%(relation)s::oid),
        l.key::text,
        e.event ->> 'kind'::text,
        e.event ->> 'reason'::text,
        e.event -> 'detail'::text
    FROM written AS w
    JOIN locked AS l ON l.key = w.key
    CROSS JOIN LATERAL pg_catalog.jsonb_array_elements(l.change -> 'events'::text)
        WITH ORDINALITY AS e (event, place)
    WHERE NOT (
        e.event ->> 'kind'::text = 'obligation-overdue'::text
        AND EXISTS (
            SELECT FROM memory_maintenance.event AS before
            WHERE before.table_name = memory_maintenance.table_name(%(relation)s::oid)
                AND before.fact_key = l.key::text
                AND before.kind = 'obligation-overdue'::text
                AND before.detail ->> 'deadline'::text = e.event #>> '{{detail,deadline}}'::text[]
        )
    )
    ORDER BY l.key, e.place
)
SELECT l.key, l.version = l.examined_version AS same, w.key IS NOT NULL AS written
FROM locked AS l
LEFT JOIN written AS w ON w.key = l.key
ORDER BY l.key
