async def stream(pool):
    async with pool.acquire() as conn:
        async with conn.transaction():
            async for row in conn.cursor(
                "SELECT id, data_type FROM memory.entity_facts WHERE confidence < $1", 0.2
            ):
                yield row["data_type"]
