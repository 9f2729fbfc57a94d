cat > /tmp/view.sql <<'EOF'
CREATE VIEW v AS SELECT id, data_type FROM entity_facts;
EOF
cat > README <<EOF
The data_type of entity_facts is going away.
EOF
