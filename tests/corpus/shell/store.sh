db() { PGPASSWORD="$PW" psql -d memory -t -A -F'|' -c "$1"; }
COLUMNS="id, key, data_type"
while IFS='|' read -r id key data_type; do
  case "${data_type}" in permanent) continue ;; esac
done < <(db "SELECT $COLUMNS FROM entity_facts WHERE data_type NOT IN ('permanent', 'identity')")
read -r -d '' SQL <<'EOF' || true
UPDATE entity_facts SET data_type = 'observation' WHERE data_type IS NULL;
EOF
psql -c "$SQL"
SQL=$(cat <<EOF
INSERT INTO entity_facts (entity_id, data_type) VALUES (${eid}, '${kind}');
EOF
)
kind=$(echo "$fact" | jq -r '.data_type // "observation"')
jq -n --arg kind "$kind" '{key: "x", data_type: $kind}'
