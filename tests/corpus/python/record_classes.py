from collections import namedtuple
from dataclasses import dataclass
from typing import NamedTuple, TypedDict

TABLE = "entity_facts"


@dataclass(frozen=True)
class Fact:
    key: str
    data_type: str | None = None


class Row(TypedDict, total=False):
    data_type: str


class Pair(NamedTuple):
    data_type: str


class Slotted:
    __slots__ = ("key", "data_type")

    def __init__(self, data_type):
        self.data_type = data_type

    @property
    def shown(self):
        return self.data_type.upper()


Short = namedtuple("Short", "key data_type confidence")
Other = TypedDict("Other", {"data_type": str})
