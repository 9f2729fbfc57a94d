from sqlalchemy import Column, Float, Integer, String, Text
from sqlalchemy.ext.declarative import declarative_base

Base = declarative_base()


class EntityFact(Base):
    __tablename__ = "entity_facts"

    id = Column(Integer, primary_key=True)
    entity_id = Column(Integer, nullable=False)
    key = Column(Text)
    value = Column(Text)
    data_type = Column(String(32), default="observation", index=True)


class SensorChannel(Base):
    __tablename__ = "sensor_channels"

    id = Column(Integer, primary_key=True)
    data_type = Column(String(16))


def permanent_facts(session):
    return session.query(EntityFact).filter(EntityFact.data_type == "permanent").all()


def float_channels(session):
    return session.query(SensorChannel).filter(SensorChannel.data_type == "float32").count()
