from sqlalchemy import text


def change(session, kind):
    session.execute(
        text("UPDATE entity_facts SET data_type = :data_type::varchar WHERE data_type = :old"),
        {"data_type": kind, "old": "temporal"},
    )
    session.execute(text("SELECT s.data_type FROM sensors s WHERE s.data_type = :data_type"), {"data_type": kind})
