import csv
import io


def bulk_load(conn, rows):
    buf = io.StringIO()
    w = csv.writer(buf)
    for r in rows:
        w.writerow((r["entity_id"], r["key"], r["value"], r["data_type"]))
    buf.seek(0)
    with conn.cursor() as cur:
        cur.copy_expert(
            "COPY entity_facts (entity_id, key, value, data_type) FROM STDIN WITH (FORMAT csv)", buf
        )
