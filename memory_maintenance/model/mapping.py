"""The map of the retired column ``data_type`` to the two axes, and the way back (spec 1)."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass

Axes = tuple[str, str]
"""durability and category."""

FALLBACK: Axes = ("long_term", "observation")
"""What a row is whose old value says nothing: NULL, or a value that the map lacks."""


def _spelt(document: object) -> str:
    # As it is, without \u: databases in other encodings than UTF8 refuse that beyond ASCII.
    return json.dumps(document, sort_keys=True, ensure_ascii=False)


NOTHING_MAPPED = _spelt({"values": {}, "null": list(FALLBACK)})
"""The map, as JSON, of a column default: whatever the old value, the fallback."""


@dataclass(frozen=True, slots=True)
class TypeMap:
    """Old values to axes; the key None stands for NULL."""

    axes: Mapping[str | None, Axes]

    def of(self, data_type: str | None) -> Axes | None:
        """The axes of an old value, or None where the map lacks it. NULL always has some."""
        return self.axes.get(data_type, FALLBACK if data_type is None else None)

    @staticmethod
    def canonical(text: str) -> str:
        """JSON that the server gave back, spelt as ``as_json`` spells it."""
        return _spelt(json.loads(text))

    def as_json(self) -> str:
        """The map as the trigger functions read it (sql/schema/0003_type_mapping.sql)."""
        values = {
            key: list(pair) for key, pair in sorted(self.axes.items(), key=str) if key is not None
        }
        return _spelt({"values": values, "null": list(self.of(None) or FALLBACK)})
