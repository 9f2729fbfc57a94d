-- Raises an error where a view isn't as it was when a script was written; it is locked already.
-- Parameters: name: as SQL reads it; definition, options: as migration/rollback_views gave them. Locks: none.
SELECT memory_maintenance.refuse(
    'the view ' || %(name)s::text || ' was changed since this was written: have the plan written anew'
)
WHERE NOT EXISTS (
    SELECT FROM pg_catalog.pg_class AS c
    WHERE c.oid = pg_catalog.to_regclass(%(name)s::text)
        AND pg_catalog.pg_get_viewdef(c.oid) = %(definition)s::text
        AND coalesce(
            (
                SELECT string_agg(format('%%I = %%L', o.option_name, o.option_value), ', ' ORDER BY o.option_name)
                FROM pg_options_to_table(c.reloptions) AS o
            ),
            ''
        ) = %(options)s::text
)
