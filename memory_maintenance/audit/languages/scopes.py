"""What the parts of a program are about: which names hold what, and which tables are spoken of where."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from memory_maintenance.audit.candidate import Candidate, Confidence, Kind

CATALOG = "information_schema"


@dataclass(slots=True)
class Evidence:
    """Which tables something is about. other: why it isn't ours, where that is all that is known."""

    ours: bool = False
    other: str = ""

    def add(self, evidence: Evidence) -> None:
        """Takes what another says to it."""
        self.ours = self.ours or evidence.ours
        self.other = self.other or evidence.other

    @property
    def known(self) -> bool:
        """Whether it says anything."""
        return self.ours or bool(self.other)


@dataclass(slots=True)
class Scope:
    """A function, a class, a block, a part of a function that is one by itself (a pipeline), or the file.

    own: what its statements say. inner: what functions say that are handed over within it, which is of use
    only where that is about our table. bindings: what its names are bound to.
    """

    kind: str
    parent: Scope | None
    own: Evidence = field(default_factory=Evidence)
    inner: Evidence = field(default_factory=Evidence)
    bindings: dict[str, Any] = field(default_factory=dict)

    def outward(self) -> Iterator[Scope]:
        """It, and what it stands in."""
        scope: Scope | None = self
        while scope is not None:
            yield scope
            scope = scope.parent

    def find(self, name: str) -> Any:
        """What a name is bound to here, or None."""
        for scope in self.outward():
            if name in scope.bindings:
                return scope.bindings[name]
        return None

    def about(self) -> Evidence:
        """What the innermost part says that says anything; of the file only that it is about our table."""
        for scope in self.outward():
            if scope.own.known:
                return scope.own if scope.parent is not None else Evidence(scope.own.ours)
            if scope.inner.ours:
                return Evidence(ours=True)
        return Evidence()

    def tell(self, evidence: Evidence) -> None:
        """A statement here says something of tables: to the function that it stands in, and to its class."""
        told = False
        for scope in self.outward():
            if scope.kind == "class":
                # That a class looks into the catalog says nothing of what its other methods handle.
                if not evidence.other.startswith(CATALOG):
                    scope.own.add(evidence)
                return
            if told or scope.kind == "block":
                continue
            scope.own.add(evidence)
            if scope.kind == "callback" and evidence.ours:
                _tell_inner(scope.parent)
            told = scope.kind != "part"


def _tell_inner(scope: Scope | None) -> None:
    while scope is not None:
        scope.inner.ours = True
        if scope.kind not in ("callback", "block"):
            return
        scope = scope.parent


def judged(
    offset: int, kind: Kind, evidence: Evidence, scope: Scope, suggestion: str = ""
) -> Candidate:
    """A key or an attribute: what is known of where it comes from decides, else what it stands in.

    Where neither says anything it is likely if the file names the table.
    """
    if not evidence.known:
        evidence = scope.about()
    if evidence.ours:
        return Candidate(offset, Confidence.LIKELY, kind, suggestion=suggestion)
    if evidence.other:
        return Candidate(offset, Confidence.UNRELATED, kind, because=evidence.other)
    return Candidate(offset, Confidence.POSSIBLE, kind, near=True, suggestion=suggestion)
