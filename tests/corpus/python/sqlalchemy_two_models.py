from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column


class Base(DeclarativeBase):
    pass


class Fact(Base):
    __tablename__ = "entity_facts"
    __table_args__ = {"schema": "public"}
    data_type: Mapped[str | None] = mapped_column()


class Sensor(Base):
    __tablename__ = "sensors"
    data_type: Mapped[str] = mapped_column("data_type")

    def shown(self) -> str:
        return self.data_type


def find(session, sensor: Sensor, fact: Fact):
    session.query(Sensor).filter(Sensor.data_type == "float").filter_by(data_type="float")
    session.query(Fact).filter(Fact.data_type == "identity")
    session.add(Sensor(data_type="float"))
    return sensor.data_type, fact.data_type
