ssh host "psql -c \"SELECT data_type FROM entity_facts\""
sudo -u postgres psql -c 'SELECT data_type FROM entity_facts'
docker exec -i db psql -U postgres <<'EOF'
UPDATE entity_facts SET data_type = 'mood';
EOF
