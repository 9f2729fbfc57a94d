async def store(conn, rows):
    await conn.copy_records_to_table("entity_facts", records=rows, columns=["id", "data_type"])
    await conn.execute("COPY entity_facts (id, data_type) FROM STDIN")
