"""Section decisions: those that hold, and what whoever meets them would miss (spec 6)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from memory_maintenance.jobs.decision_rows import state
from memory_maintenance.jobs.report.scope import Scope, id_notes
from memory_maintenance.model.result import Block, Heading, KeyValues, Note

_KINDS: Final = ("open", "superseded", "without_reasoning", "unguarded")


@dataclass(frozen=True, slots=True)
class Decisions:
    """open: not superseded. Of these, without_reasoning: that don't say why; unguarded: that the database
    lets anybody change, since they lack ``do_not_reopen``. ids: by the name of the count; None unless they
    were asked for.
    """

    open: int
    superseded: int
    without_reasoning: int
    unguarded: int
    ids: Mapping[str, tuple[Any, ...]] | None

    def blocks(self) -> Sequence[Block]:
        """Counts."""
        heading = Heading("Decisions")
        if not self.open + self.superseded:
            return (heading, Note("none"))
        counts = (
            ("open", f"{self.open:,}"),
            ("  without reasoning", f"{self.without_reasoning:,}"),
            ("  not guarded", f"{self.unguarded:,}"),
            ("superseded", f"{self.superseded:,}"),
        )
        ids = [
            (name.replace("_", " "), getattr(self, name), keys)
            for name, keys in (self.ids or {}).items()
        ]
        return (heading, KeyValues(counts), *id_notes(ids))


def collect(scope: Scope) -> Decisions:
    """Counts of what is stored: decisions don't depend on the instant."""
    session = scope.run.session
    kinds = session.statement("report/decisions", state=state(session, scope.relation))
    found = scope.by_kind(kinds)
    facts = {name: found[name].facts if name in found else 0 for name in _KINDS}
    ids = {name: tuple(found[name].keys or ()) if name in found else () for name in _KINDS}
    return Decisions(**facts, ids=ids if scope.options.show_ids else None)
