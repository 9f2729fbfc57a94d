node <<'EOF'
const rows = await db.query(`SELECT data_type FROM entity_facts`);
console.log(rows[0].data_type);
EOF
node -e 'db.query("SELECT data_type FROM entity_facts")'
