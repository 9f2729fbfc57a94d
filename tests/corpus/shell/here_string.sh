psql <<< "SELECT data_type FROM entity_facts"
psql <<<'SELECT data_type FROM sensors'
