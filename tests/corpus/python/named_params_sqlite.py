from sqlalchemy import text

UPSERT = text(
    """
    INSERT INTO entity_facts (entity_id, key, value, data_type)
    VALUES (:entity_id, :key, :value, :data_type)
    ON CONFLICT (entity_id, key) DO UPDATE SET value = EXCLUDED.value
    """
)


def upsert(session, entity_id, key, value, data_type="observation"):
    session.execute(
        UPSERT,
        dict(entity_id=entity_id, key=key, value=value, data_type=data_type),
    )
