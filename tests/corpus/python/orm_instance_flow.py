from sqlalchemy import insert, select

from memory.models import EntityFact
from sensors.models import SensorChannel


def calibrate(session, name):
    channel = SensorChannel(name=name, data_type="float32")
    session.add(channel)
    return channel.data_type


def learn(session, entity_id, key, value):
    fact = EntityFact(entity_id=entity_id, key=key, value=value, data_type="observation")
    session.add(fact)
    return fact


def confirm(session, fact_id):
    fact = session.get(EntityFact, fact_id)
    if fact.data_type == "observation":
        fact.data_type = "permanent"
    session.flush()


def bulk(session, items):
    session.execute(insert(EntityFact), [{"key": k, "value": v, "data_type": t} for k, v, t in items])


def ordered(session):
    return session.scalars(select(EntityFact).order_by(EntityFact.data_type.desc()))
