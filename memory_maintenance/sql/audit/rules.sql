-- Views, materialized views and rules over the table.
-- Parameters: oid, column. Slots: columns (audit/columns). Result: kind, name, definition text; oid bigint: of the
-- view, else of the rule; names_column bool: false where it uses the table, but not this column by name. Locks: none.
WITH RECURSIVE {columns},
over AS (
    SELECT DISTINCT d.objid AS rule
    FROM tree
    JOIN pg_catalog.pg_depend AS d
        ON d.refclassid = 'pg_catalog.pg_class'::regclass
        AND d.refobjid = tree.relid
        AND d.classid = 'pg_catalog.pg_rewrite'::regclass
)
SELECT
    CASE
        WHEN r.rulename <> '_RETURN' THEN 'rule'
        WHEN c.relkind = 'm' THEN 'materialized view'
        ELSE 'view'
    END AS kind,
    CASE
        WHEN r.rulename = '_RETURN' THEN c.oid::regclass::text
        ELSE format('%%I on %%s', r.rulename, c.oid::regclass)
    END AS name,
    -- NULL where somebody has dropped it since our snapshot.
    coalesce(
        CASE
            WHEN r.rulename = '_RETURN' THEN pg_get_viewdef(c.oid)
            ELSE pg_get_ruledef(r.oid)
        END,
        ''
    ) AS definition,
    CASE WHEN r.rulename = '_RETURN' THEN c.oid ELSE r.oid END::bigint AS oid,
    EXISTS (
        SELECT FROM dep
        WHERE dep.classid = 'pg_catalog.pg_rewrite'::regclass AND dep.objid = r.oid
    ) AS names_column
FROM over
JOIN pg_catalog.pg_rewrite AS r ON r.oid = over.rule
JOIN pg_catalog.pg_class AS c ON c.oid = r.ev_class
ORDER BY 1, 2
