#!/usr/bin/env bash
set -e
out="backup-$(date +%F).csv.gz"
psql "$PGURI" \
  --command "\\copy (SELECT id, key, value, data_type FROM public.entity_facts) TO STDOUT CSV HEADER" \
  | gzip > "$out"
psql "$PGURI" --command "COPY (SELECT name, data_type FROM tool_arguments) TO STDOUT" > args.tsv
