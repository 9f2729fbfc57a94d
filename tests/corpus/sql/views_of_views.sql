CREATE VIEW typed_facts AS
SELECT id, data_type FROM entity_facts;
CREATE MATERIALIZED VIEW type_counts AS
SELECT data_type, count(*) AS facts FROM typed_facts GROUP BY data_type;
SELECT data_type FROM type_counts;
