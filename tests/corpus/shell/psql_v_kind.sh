#!/usr/bin/env bash
echo "UPDATE entity_facts SET data_type = :'kind' WHERE id = :id" \
  | psql "$PGURI" -v kind="$2" -v id="$1"
