SCRIPT = """
CREATE TABLE sensors (id int, data_type text);
CREATE TABLE entity_facts (id int, data_type varchar(20));
CREATE VIEW permanent_facts AS SELECT id, data_type FROM entity_facts;
CREATE FUNCTION kind(entity_facts) RETURNS text LANGUAGE sql AS $$ SELECT $1.data_type $$;
"""
