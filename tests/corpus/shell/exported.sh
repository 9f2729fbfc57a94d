export data_type=permanent
psql -c "INSERT INTO entity_facts (data_type) VALUES ('$data_type')"
[ "${data_type}" = permanent ] && exit 0
