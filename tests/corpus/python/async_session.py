class Fact(Base):
    __tablename__ = "entity_facts"


class Sensor(Base):
    __tablename__ = "sensors"


async def load(session):
    facts = (await session.execute(select(Fact))).scalars().all()
    sensors = (await session.scalars(select(Sensor))).all()
    return [f.data_type for f in facts], {s.id: s.data_type for s in sensors}
