class Fact(Base):
    __tablename__ = "entity_facts"


class Archived(Fact):
    data_type = Column(String)


class Sensor(Fact):
    __tablename__ = "sensors"
    data_type = Column(String)
