#!/usr/bin/env bash
set -euo pipefail

psql "$DATABASE_URL" -v ON_ERROR_STOP=1 -c "DELETE FROM entity_facts WHERE data_type = 'temporary' AND expires_at < now()"
psql "$DATABASE_URL" -c 'VACUUM (ANALYZE) entity_facts'
