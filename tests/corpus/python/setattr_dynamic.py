from operator import attrgetter, itemgetter

from memory.models import EntityFact

by_kind = attrgetter("data_type")
row_kind = itemgetter("id", "data_type")


def patch(fact: EntityFact, changes: dict):
    for name in ("value", "confidence", "data_type"):
        if name in changes:
            setattr(fact, name, changes[name])


def listing(pool):
    rows = pool.fetch("SELECT * FROM entity_facts")
    return sorted(map(row_kind, rows))
