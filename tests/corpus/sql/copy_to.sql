COPY entity_facts (id, data_type) TO stdout WITH (FORMAT csv);
COPY (SELECT data_type FROM entity_facts) TO '/tmp/types.csv';
COPY entity_facts TO '/tmp/facts.csv';
