-- Whether the axes of a fact alone wouldn't give its old value. A condition on f. Locks: none.
f.data_type::text IS DISTINCT FROM memory_maintenance.data_type_of(f.durability::text, f.category::text)
