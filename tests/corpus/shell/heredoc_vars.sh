#!/bin/sh
TABLE=entity_facts_archive
KIND="${1:-temporary}"

psql -d memory <<-EOF
	DELETE FROM $TABLE
	 WHERE data_type = '$KIND'
	   AND archived_at < now() - interval '${2:-90} days';
EOF
