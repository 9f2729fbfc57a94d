psql -At -c 'SELECT to_jsonb(f) FROM entity_facts f' | jq -r '.data_type'
psql -At -c 'SELECT to_jsonb(f) FROM entity_facts f' | jq 'select(.data_type == "permanent") | {data_type: .x}'
jq --arg data_type "$x" '."data_type"' < facts.json
