for t in sensors entity_facts; do
  psql -c "SELECT data_type FROM $t"
done
types() {
  psql -c "SELECT data_type FROM ${1}"
}
types entity_facts
others() { psql -c "SELECT data_type FROM $1"; }
others sensors
: "${VIEW:=entity_facts}"
psql -c "SELECT data_type FROM $VIEW WHERE id IN (${IDS:-1})"
