from enum import StrEnum


class Column(StrEnum):
    KEY = "key"
    KIND = "data_type"


def load(cur):
    cur.execute(f"SELECT {Column.KIND} FROM entity_facts")
    cur.execute(f"SELECT {Column.KIND.value} FROM sensors")
