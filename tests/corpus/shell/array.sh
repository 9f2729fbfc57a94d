QUERIES=(
  "SELECT data_type FROM entity_facts"
  "SELECT data_type FROM sensors"
)
for q in "${QUERIES[@]}"; do psql -c "$q"; done
