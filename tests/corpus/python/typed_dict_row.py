from typing import TypedDict, cast

class FactRow(TypedDict):
    key: str
    data_type: str


def first(cur):
    cur.execute("SELECT key, data_type FROM entity_facts LIMIT 1")
    row = cast(FactRow, cur.fetchone())
    return row["data_type"]
