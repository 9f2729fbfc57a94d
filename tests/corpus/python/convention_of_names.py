from models import EntityFact


def find(session):
    return session.query(EntityFact).filter(EntityFact.data_type == "permanent")
