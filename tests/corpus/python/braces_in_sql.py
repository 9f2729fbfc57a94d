A = "SELECT data_type FROM entity_facts WHERE meta @> '{\"a\": {}}' AND tags = '{a,b}'"
B = f"SELECT data_type FROM entity_facts WHERE meta = '{{}}' AND note LIKE '%x%'"
C = "SELECT data_type, 100 % 7, arr[1:2], now()::date FROM entity_facts WHERE a ? 'b'"
