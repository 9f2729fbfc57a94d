SELECT count(f.id) FROM entity_facts AS f JOIN type_names USING (data_type);
SELECT data_type FROM entity_facts JOIN type_names USING (data_type);
