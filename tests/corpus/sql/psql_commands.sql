\set ON_ERROR_STOP on
\d entity_facts
\if :legacy
SELECT id FROM entity_facts WHERE data_type = :'kind' LIMIT :n;
\else
SELECT id FROM entity_facts WHERE durability = :'kind' LIMIT :n;
\endif
\copy entity_facts (id, data_type) from 'facts.csv' csv
\copy (SELECT data_type FROM entity_facts) to 'types.csv' csv
\copy sensors (data_type) to 'sensors.csv'
SELECT data_type FROM entity_facts \g /tmp/out.txt
SELECT count(*) FROM entity_facts WHERE "data_type" = 'x' \gset
