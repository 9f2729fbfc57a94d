print("ALTER TABLE entity_facts DROP COLUMN data_type;")
print("select a data_type for the new fact")
