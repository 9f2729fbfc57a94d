load() {
	psql <<-EOF
		INSERT INTO entity_facts (id, data_type)
		VALUES (1, 'mood');
	EOF
}
