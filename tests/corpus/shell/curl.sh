# entity_facts over HTTP
curl -X POST "$API/entity_facts" -d '{"key": "a", "data_type": "permanent"}'
curl "$API/entity_facts?select=id,data_type&data_type=eq.permanent"
