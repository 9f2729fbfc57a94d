pg_dump -t entity_facts | grep data_type
psql -c 'SELECT id FROM entity_facts' | awk '/data_type/ {print $2}'
sed -i 's/data_type/durability/' facts.csv
