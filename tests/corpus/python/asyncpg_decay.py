import logging

import asyncpg

log = logging.getLogger(__name__)
DECAY_SQL = (
    "UPDATE entity_facts AS f "
    "SET confidence = confidence * CASE f.data_type "
    "WHEN 'permanent' THEN 1.0 "
    "WHEN 'identity' THEN 0.999 "
    "ELSE 0.97 END "
    "WHERE f.data_type <> 'permanent' "
    "AND f.last_confirmed_at < now() - $1::interval "
    "RETURNING f.id, f.data_type"
)


async def decay(pool: asyncpg.Pool, age):
    async with pool.acquire() as con:
        rows = await con.fetch(DECAY_SQL, age)
    counts = {}
    for row in rows:
        counts[row["data_type"]] = counts.get(row["data_type"], 0) + 1
    log.info("decayed facts per data_type: %s", counts)
    return counts
