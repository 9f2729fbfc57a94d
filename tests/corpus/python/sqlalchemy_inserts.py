from sqlalchemy import desc, select
from sqlalchemy.dialects.postgresql import insert


class Fact(Base):
    __tablename__ = "entity_facts"
    data_type: Mapped[str]

    @validates("data_type")
    def known(self, key, value):
        return value


def store(session, rows):
    statement = insert(Fact).values(data_type="identity")
    statement = statement.on_conflict_do_update(
        index_elements=["key"], set_={"data_type": statement.excluded.data_type}
    )
    session.execute(insert(Fact), [{"data_type": "identity"}])
    session.execute(select(Fact.id).order_by(desc("data_type")))
    session.execute(select(Fact.__table__.c.data_type, getattr(Fact, "data_type")))
    session.query(Fact).join(Sensor).filter_by(data_type=1)
