-- Forgets which rows were noted for another purpose. Parameters: table_name. Locks: none that others hold.
DELETE FROM memory_maintenance.noted_key AS n WHERE n.table_name = %(table_name)s::text
