-- When the table was adopted. As text, since it may be -infinity. Parameters: table_name.
-- Result: at text; no row before the first decay. Locks: none.
SELECT a.adopted_at::text AS at FROM memory_maintenance.adoption AS a WHERE a.table_name = %(table_name)s
