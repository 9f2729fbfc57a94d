from typing import Optional

from sqlalchemy import String, select, update
from sqlalchemy.orm import DeclarativeBase, Mapped, Session, mapped_column


class Base(DeclarativeBase):
    pass


class Fact(Base):
    __tablename__ = "entity_facts"

    id: Mapped[int] = mapped_column(primary_key=True)
    entity_id: Mapped[int]
    kind: Mapped[Optional[str]] = mapped_column("data_type", String(32))


def promote(session: Session, fact_id: int) -> None:
    session.execute(update(Fact).where(Fact.id == fact_id).values(kind="permanent"))


def kinds(session: Session):
    return session.scalars(select(Fact.kind).distinct()).all()
