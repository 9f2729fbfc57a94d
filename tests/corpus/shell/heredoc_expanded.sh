TABLE=entity_facts
psql "$DB" <<EOF
SELECT id, data_type FROM ${TABLE} WHERE id = ${1:-0};
SELECT \$\$it's\$\$, data_type FROM public.$TABLE;
EOF
