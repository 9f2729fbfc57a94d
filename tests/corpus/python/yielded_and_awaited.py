async def facts(pool):
    async with pool.acquire() as conn:
        row = await conn.fetchrow("SELECT data_type FROM sensors WHERE id = $1", 1)
        print(row["data_type"])
        async for fact in conn.cursor("SELECT * FROM entity_facts"):
            yield fact["data_type"]
        kind = await conn.fetchval("SELECT data_type FROM entity_facts WHERE id = $1", 1)
