"""A result that shows the blocks that a test gives it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from memory_maintenance.model.result import Block, Result


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown(Result):
    """Blocks for people, a value for programs."""

    command: str = "test"
    shown: tuple[Block, ...] = ()
    value: Any = None

    def blocks(self) -> Sequence[Block]:
        return self.shown

    def document(self) -> dict[str, Any]:
        return {"value": self.value}
