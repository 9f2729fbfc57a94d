psql <<'EOF'
\set ON_ERROR_STOP on
\d entity_facts
\copy entity_facts (id, data_type) TO 'facts.csv' CSV
SELECT * FROM entity_facts;
EOF
