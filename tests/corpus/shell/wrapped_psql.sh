#!/usr/bin/env bash
run_sql() {
  docker exec -i memory-db psql -U agent -At -c "$1"
}

perm=$(run_sql "SELECT count(*) FROM entity_facts WHERE data_type='permanent'")
cols=$(run_sql "SELECT column_name || ':' || data_type FROM information_schema.columns WHERE table_name='entity_facts'")
args=$(run_sql "SELECT a.data_type FROM tool_arguments a JOIN entity_facts f ON f.key = a.key")
echo "permanent=$perm args=$args"
echo "$cols"
