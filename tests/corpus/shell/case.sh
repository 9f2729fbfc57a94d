type=$(psql -At -c "SELECT data_type FROM entity_facts WHERE id = 1")
case "$type" in
  permanent) echo keep ;;
esac
