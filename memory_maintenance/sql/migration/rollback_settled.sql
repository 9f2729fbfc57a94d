-- Forgets what is put back in this very statement. A WITH query and its comma.
-- Parameters: first_key, last_key; table_name. Slots: facts, key, key_type, row_key. Locks: none that others hold.
settled AS (
    DELETE FROM memory_maintenance.rollback_backup AS r
    WHERE r.table_name = %(table_name)s::text
        AND r.fact_key = ANY (
            ARRAY(
                SELECT {row_key} FROM {facts} AS f
                WHERE f.{key} >= %(first_key)s::{key_type} AND f.{key} <= %(last_key)s::{key_type}
            )
        )
),
