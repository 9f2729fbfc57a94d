CREATE TABLE entity_facts (id bigint, data_type text) PARTITION BY LIST (data_type);
CREATE TABLE kinds (name text REFERENCES entity_facts (data_type), data_type text);
