python3 - "$DB" <<'EOF'
import psycopg
with psycopg.connect() as connection:
    connection.execute("SELECT data_type FROM entity_facts")
EOF
python3 -c "print('SELECT data_type FROM entity_facts')"
