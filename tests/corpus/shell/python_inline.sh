#!/bin/bash
python3 - "$PGURI" <<'PY'
import sys, psycopg
with psycopg.connect(sys.argv[1]) as conn:
    for kind, n in conn.execute("SELECT data_type, count(*) FROM entity_facts GROUP BY 1"):
        print(kind, n)
PY
