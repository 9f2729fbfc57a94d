from sqlalchemy import CheckConstraint, Column, Index, String, select
from sqlalchemy.orm import declarative_base

Base = declarative_base()


class EntityFact(Base):
    __tablename__ = "entity_facts"
    __table_args__ = (
        CheckConstraint("data_type IN ('permanent', 'identity')", name="chk_data_type"),
        Index("ix_facts", "data_type"),
    )
    id = Column(String, primary_key=True)
    data_type = Column("data_type", String(20))

    def lasts(self):
        return self.data_type == "permanent"


def find(session, kind):
    EntityFact(data_type="identity")
    session.query(EntityFact).filter(EntityFact.data_type == "permanent").all()
    session.query(EntityFact).filter_by(data_type=kind).first()
    session.execute(select(EntityFact.id).where(EntityFact.data_type.in_(["permanent", "identity"])))
    fact = session.get(EntityFact, 1)
    fact.data_type = "temporal"
    for row in session.scalars(select(EntityFact)):
        print(row.data_type)
