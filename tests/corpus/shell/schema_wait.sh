#!/usr/bin/env bash
until [ "$(psql -At -c "select count(*) from information_schema.columns where table_name='entity_facts' and column_name='data_type'")" = 0 ]; do
  sleep 5
done
echo "contracted"
