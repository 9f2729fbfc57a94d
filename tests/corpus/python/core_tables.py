import sqlalchemy as sa

metadata = sa.MetaData()

facts = sa.Table(
    "entity_facts",
    metadata,
    sa.Column("id", sa.BigInteger, primary_key=True),
    sa.Column("entity_id", sa.BigInteger),
    sa.Column("data_type", sa.Text, nullable=False, server_default="observation"),
)

embeddings = sa.Table(
    "embedding_columns",
    metadata,
    sa.Column("id", sa.BigInteger, primary_key=True),
    sa.Column("fact_id", sa.BigInteger),
    sa.Column("data_type", sa.Text),
)


def permanent_halfvecs():
    return (
        sa.select(facts.c.id, embeddings.c.data_type.label("vec_type"))
        .join(embeddings, embeddings.c.fact_id == facts.c.id)
        .where(facts.c.data_type == "permanent")
    )


def set_kind(conn, fact_id, kind):
    conn.execute(facts.update().where(facts.c.id == fact_id).values(data_type=kind))
