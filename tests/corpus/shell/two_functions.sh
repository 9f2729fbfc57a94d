sensors() {
  psql -At -c "SELECT row_to_json(s) FROM (SELECT data_type FROM sensors) s" | jq -r '.data_type'
}
facts() {
  psql -At -c "SELECT row_to_json(f) FROM (SELECT data_type FROM entity_facts) f" | jq -r '.data_type'
}
