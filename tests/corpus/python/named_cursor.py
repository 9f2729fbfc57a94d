def stream_archive(conn, since):
    with conn.cursor(name="archive_stream") as cur:
        cur.itersize = 5000
        cur.execute(
            "SELECT id, data_type, archived_at FROM public.entity_facts_archive "
            "WHERE archived_at >= %s",
            (since,),
        )
        for fact_id, data_type, archived_at in cur:
            yield fact_id, data_type, archived_at
