import sqlalchemy as sa

meta = sa.MetaData()
facts = sa.Table("entity_facts", meta, sa.Column("id", sa.Integer), sa.Column("data_type", sa.String))
sensors = sa.Table("sensors", meta, sa.Column("data_type", sa.String))


def find(conn):
    conn.execute(sa.select(facts.c.id).where(facts.c.data_type == "permanent"))
    conn.execute(facts.insert().values(data_type="identity"))
    conn.execute(sa.update(facts).values({"data_type": None}))
    conn.execute(sa.select(sensors.c["data_type"]))
