from __future__ import annotations

from dataclasses import dataclass

TABLE = "entity_facts"


@dataclass(slots=True)
class Fact:
    id: int
    key: str
    value: str
    data_type: str | None = None

    @classmethod
    def from_row(cls, row):
        return cls(id=row["id"], key=row["key"], value=row["value"], data_type=row.get("data_type"))

    @property
    def durable(self) -> bool:
        return self.data_type in ("permanent", "identity")


def load(cur, entity_id):
    cur.execute(f"SELECT * FROM {TABLE} WHERE entity_id = %s", (entity_id,))
    return [Fact.from_row(r) for r in cur]
