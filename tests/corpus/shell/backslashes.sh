psql <<EOF
  \\set x 1
  \pset format csv
  \copy (SELECT id, data_type FROM entity_facts WHERE id = $1) TO STDOUT
SELECT data_type FROM entity_facts WHERE id = :x AND key = :'k';
EOF
psql -c "SELECT
  \"data_type\" FROM entity_facts"
