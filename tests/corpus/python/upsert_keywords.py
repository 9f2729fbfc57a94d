from sqlalchemy import Column, MetaData, Table, Text
from sqlalchemy.dialects.postgresql import insert

facts = Table("entity_facts", MetaData(), autoload_with=engine)


def upsert(conn, key, kind):
    statement = insert(facts).values(
        key=key, data_type=kind
    )
    conn.execute(statement.on_conflict_do_update(
        index_elements=["key"], set_={"data_type": statement.excluded.data_type}
    ))
