#!/usr/bin/env bash
for t in entity_facts entity_facts_archive; do
  psql "$PGURI" -c "ALTER TABLE $t DROP COLUMN IF EXISTS data_type"
done
psql "$PGURI" -c "ALTER TABLE sheet_columns DROP COLUMN IF EXISTS data_type"
