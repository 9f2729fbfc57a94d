#!/bin/bash
psql -At -c "SELECT row_to_json(f) FROM entity_facts f" \
  | jq -r 'select(.data_type == "identity") | [.id, .key] | @tsv'
