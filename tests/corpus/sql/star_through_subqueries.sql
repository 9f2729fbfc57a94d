SELECT x.data_type
FROM (SELECT * FROM entity_facts) AS x;
SELECT y.data_type
FROM (SELECT s.* FROM sensors AS s JOIN entity_facts AS f ON true) AS y;
