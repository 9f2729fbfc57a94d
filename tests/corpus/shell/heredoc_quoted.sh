psql "$DATABASE_URL" <<'SQL'
SELECT f.data_type, s.data_type
  FROM entity_facts f JOIN sensors s ON s.id = f.id
 WHERE f.data_type = 'permanent';
SQL
