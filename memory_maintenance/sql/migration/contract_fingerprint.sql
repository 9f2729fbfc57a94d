-- A digest of all that the catalog says of the table and of what may depend on it, versions of rows included:
-- equal where nothing was changed by DDL in between. Taken under contract's lock in place of the whole analysis,
-- which takes longer the more functions there are. Our trigger that notes keys comes and goes without changing it.
-- Parameters: oid: of the table; note_key: the name of that trigger; besides: oids of views that may be replaced.
-- Result: one row: fingerprint text. Locks: none.
WITH RECURSIVE tree AS (
    SELECT %(oid)s::oid AS relid
    UNION
    SELECT i.inhrelid
    FROM pg_catalog.pg_inherits AS i
    JOIN tree ON tree.relid = i.inhparent
),
row_type AS (
    SELECT t.oid
    FROM tree
    JOIN pg_catalog.pg_type AS t ON t.typrelid = tree.relid
    UNION
    SELECT t.oid
    FROM row_type
    JOIN pg_catalog.pg_type AS t
        ON t.typbasetype = row_type.oid OR (t.typelem = row_type.oid AND t.typcategory = 'A')
),
dep AS (
    SELECT DISTINCT d.classid, d.objid
    FROM pg_catalog.pg_depend AS d
    WHERE (
            d.refclassid = 'pg_catalog.pg_class'::regclass
            AND d.refobjid IN (SELECT tree.relid FROM tree)
        )
        OR (
            d.refclassid = 'pg_catalog.pg_type'::regclass
            AND d.refobjid IN (SELECT row_type.oid FROM row_type)
        )
),
noting AS (
    SELECT t.oid
    FROM pg_catalog.pg_trigger AS t
    JOIN tree ON tree.relid = t.tgrelid
    WHERE t.tgname = %(note_key)s
),
version (kind, id, version) AS (
    SELECT 'depends', d.classid::text || '.' || d.objid::text, ''
    FROM dep AS d
    WHERE d.classid <> 'pg_catalog.pg_trigger'::regclass OR d.objid NOT IN (SELECT n.oid FROM noting AS n)
    UNION ALL
    SELECT
        'relation',
        c.oid::text,
        -- The version of its row, too, changes with a trigger; these few with every VACUUM and ANALYZE.
        (
            to_jsonb(c) - '{{relpages,reltuples,relallvisible,relallfrozen,relfrozenxid,relminmxid}}'::text[]
            - '{{relhasindex,relhastriggers}}'::text[]
        )::text
    FROM pg_catalog.pg_class AS c
    WHERE c.oid::bigint <> ALL (%(besides)s::bigint[])
        AND (
            c.oid IN (SELECT tree.relid FROM tree)
            OR c.oid IN (SELECT d.objid FROM dep AS d WHERE d.classid = 'pg_catalog.pg_class'::regclass)
            OR c.oid IN (
                SELECT r.ev_class
                FROM pg_catalog.pg_rewrite AS r
                JOIN dep AS d ON d.classid = 'pg_catalog.pg_rewrite'::regclass AND d.objid = r.oid
            )
        )
    UNION ALL
    SELECT 'rule', r.oid::text, r.xmin::text
    FROM pg_catalog.pg_rewrite AS r
    JOIN dep AS d ON d.classid = 'pg_catalog.pg_rewrite'::regclass AND d.objid = r.oid
    WHERE r.ev_class::bigint <> ALL (%(besides)s::bigint[])
    UNION ALL
    SELECT 'column', a.attrelid::text || '.' || a.attnum::text, a.xmin::text
    FROM pg_catalog.pg_attribute AS a
    WHERE a.attrelid IN (SELECT tree.relid FROM tree)
    UNION ALL
    SELECT 'default', f.oid::text, f.xmin::text
    FROM pg_catalog.pg_attrdef AS f
    WHERE f.adrelid IN (SELECT tree.relid FROM tree)
    UNION ALL
    SELECT 'constraint', k.oid::text, k.xmin::text
    FROM pg_catalog.pg_constraint AS k
    WHERE k.conrelid IN (SELECT tree.relid FROM tree) OR k.confrelid IN (SELECT tree.relid FROM tree)
    UNION ALL
    SELECT 'index', i.indexrelid::text, i.xmin::text
    FROM pg_catalog.pg_index AS i
    WHERE i.indrelid IN (SELECT tree.relid FROM tree)
    UNION ALL
    SELECT 'trigger', t.oid::text, t.xmin::text
    FROM pg_catalog.pg_trigger AS t
    WHERE t.tgrelid IN (SELECT tree.relid FROM tree) AND t.oid NOT IN (SELECT n.oid FROM noting AS n)
    UNION ALL
    SELECT 'policy', p.oid::text, p.xmin::text
    FROM pg_catalog.pg_policy AS p
    WHERE p.polrelid IN (SELECT tree.relid FROM tree)
    UNION ALL
    SELECT 'statistics', s.oid::text, s.xmin::text
    FROM pg_catalog.pg_statistic_ext AS s
    WHERE s.stxrelid IN (SELECT tree.relid FROM tree)
    UNION ALL
    SELECT 'parent', i.inhrelid::text || '.' || i.inhparent::text, i.xmin::text
    FROM pg_catalog.pg_inherits AS i
    WHERE i.inhrelid IN (SELECT tree.relid FROM tree)
    UNION ALL
    SELECT 'publication', p.oid::text, p.xmin::text FROM pg_catalog.pg_publication AS p
    UNION ALL
    SELECT 'published', p.oid::text, p.xmin::text
    FROM pg_catalog.pg_publication_rel AS p
    WHERE p.prrelid IN (SELECT tree.relid FROM tree)
    UNION ALL
    SELECT 'label', s.objoid::text || '.' || s.objsubid::text || s.provider, s.xmin::text
    FROM pg_catalog.pg_seclabel AS s
    WHERE s.classoid = 'pg_catalog.pg_class'::regclass AND s.objoid IN (SELECT tree.relid FROM tree)
    UNION ALL
    SELECT 'comment', d.classoid::text || '.' || d.objoid::text || '.' || d.objsubid::text, d.xmin::text
    FROM pg_catalog.pg_description AS d
    WHERE d.objoid IN (SELECT tree.relid FROM tree)
        OR d.objoid IN (SELECT i.indexrelid FROM pg_catalog.pg_index AS i JOIN tree ON tree.relid = i.indrelid)
        OR d.objoid IN (SELECT k.oid FROM pg_catalog.pg_constraint AS k JOIN tree ON tree.relid = k.conrelid)
    UNION ALL
    SELECT 'function', f.oid::text, f.xmin::text
    FROM pg_catalog.pg_proc AS f
    JOIN pg_catalog.pg_namespace AS n ON n.oid = f.pronamespace
    WHERE n.nspname <> 'pg_catalog' AND n.nspname !~ '^pg_temp_'
)
SELECT md5(string_agg(concat_ws(' ', v.kind, v.id, v.version), ',' ORDER BY v.kind, v.id)) AS fingerprint
FROM version AS v
