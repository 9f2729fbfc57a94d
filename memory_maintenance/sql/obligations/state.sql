-- What is known of obligations (spec 5). A fragment: users add JOIN, WHERE, ORDER BY and a locking clause.
-- Parameters: as_of; longest: characters of a text that are read, and one more.
-- Slots: facts; key; value: the column as text; expires, learned_at: timestamptz expressions; document: the
-- column data as jsonb; unreadable: whether data holds what can't be one; deadline: obligations/iso of expires.
-- Result: key; version: the row's place, by which a later statement knows it again; category; deadline: the
-- instant as text, NULL where there is none; endless: expires is infinity; past: at as_of; learned_at: NULL
-- where it isn't known, or beyond what Python counts; obligation: data.obligation, an object; deadline_text:
-- data.deadline; value; problem: why the row is left alone. Locks: those of the user's clause.
SELECT
    f.{key} AS key,
    f.ctid::text AS version,
    f.category::text AS category,
    CASE WHEN pg_catalog.isfinite({expires}) THEN {deadline} END AS deadline,
    coalesce({expires} = 'infinity'::timestamptz, false) AS endless,
    coalesce(pg_catalog.isfinite({expires}) AND {expires} <= %(as_of)s, false) AS past,
    CASE
        WHEN {learned_at} BETWEEN '0002-01-01Z'::timestamptz AND '9998-01-01Z'::timestamptz THEN {learned_at}
    END AS learned_at,
    CASE
        WHEN pg_catalog.jsonb_typeof({document} -> 'obligation'::text) = 'object'::text
            THEN {document} -> 'obligation'::text
    END AS obligation,
    pg_catalog."left"({document} ->> 'deadline'::text, %(longest)s::int4) AS deadline_text,
    pg_catalog."left"({value}, %(longest)s::int4) AS value,
    CASE
        WHEN {expires} = '-infinity'::timestamptz THEN 'expires is infinite'
        WHEN {unreadable} THEN 'data can''t be read as jsonb'
        WHEN pg_catalog.jsonb_typeof({document}) NOT IN ('object'::text, 'null'::text)
            THEN 'data is no object'
        WHEN pg_catalog.jsonb_typeof({document} -> 'obligation'::text) NOT IN ('object'::text, 'null'::text)
            THEN 'data.obligation is no object'
        WHEN {document} #>> '{{obligation,status}}'::text[]
            <> ALL ('{{open,overdue,done,cancelled,missed}}'::text[])
            THEN 'data.obligation.status is unknown'
        WHEN NOT pg_catalog.isfinite({learned_at}) THEN 'learned_at is infinite'
    END AS problem
FROM {facts} AS f
