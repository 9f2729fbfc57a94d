#!/bin/bash
curl -fsS "$API/entity_facts?data_type=eq.permanent&select=id,data_type" -H "apikey: $KEY"
curl -fsS -X POST "$API/entity_facts" -H 'Content-Type: application/json' \
  -d '{"entity_id": 1, "key": "name", "value": "Ada", "data_type": "identity"}'
