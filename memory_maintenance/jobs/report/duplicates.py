"""Section duplicates: facts that say the same of the same."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from psycopg import sql

from memory_maintenance.jobs.decision_rows import entity_column, text_column
from memory_maintenance.jobs.report.scope import LISTED, Scope, id_notes
from memory_maintenance.model.result import Block, Column, Heading, Note, Table

_SHOWN: Final = 5
_MOST: Final = 100


@dataclass(frozen=True, slots=True)
class Copies:
    """Facts that say the same. first, last: by key. ids: the first keys; None unless they were asked for."""

    copies: int
    first: Any
    last: Any
    ids: tuple[Any, ...] | None


@dataclass(frozen=True, slots=True)
class Duplicates:
    """Facts of one entity with the same key but for its case and the same value but for its case and blanks.
    groups: of two or more. facts: in all of them. largest: the first 100 groups.
    """

    groups: int
    facts: int
    largest: tuple[Copies, ...]

    def blocks(self) -> Sequence[Block]:
        """The largest groups, nothing where there are none."""
        if not self.groups:
            return ()
        surplus = self.facts - self.groups
        text = f"{self.facts:,} facts in {self.groups:,} groups say the same: {surplus:,} more than needed"
        shown = self.largest[:_SHOWN]
        rows = tuple((f"{c.copies:,}", _ends(c)) for c in shown)
        columns = (Column("copies", "right"), Column("ids"))
        table = Table(columns, rows, "The largest groups")
        ids = id_notes([(f"as {c.first}", c.copies, c.ids) for c in shown])
        return (Heading("Duplicates"), Note(text), table, *ids)


@dataclass(frozen=True, slots=True)
class _Row:
    copies: int
    first: Any
    last: Any
    value_hash: int
    groups: int
    facts: int


@dataclass(frozen=True, slots=True)
class _Keys:
    keys: Sequence[Any]


def collect(scope: Scope) -> Duplicates:
    """Groups and facts, as they are stored."""
    relation = scope.relation
    key = sql.SQL("s.key")
    ends = sql.SQL("pg_catalog.{}({})")
    if relation.columns[relation.key].type == "uuid":
        # min(uuid) is new in PostgreSQL 18; as text uuids have the same order.
        key, ends = sql.SQL("s.key::text"), sql.SQL("pg_catalog.{}({})::uuid")
    said = scope.run.session.statement(
        "report/said",
        facts=relation.identifier,
        key=relation.key_identifier,
        entity=entity_column(relation),
        name=text_column(relation, "key"),
        value=text_column(relation, "value"),
    )
    found = scope.rows(
        _Row,
        "report/duplicates",
        slots={
            "said": said,
            "least": ends.format(sql.SQL("min"), key),
            "greatest": ends.format(sql.SQL("max"), key),
        },
        most=_MOST,
    )
    ids = _ids(scope, said, [row.value_hash for row in found])
    return Duplicates(
        found[0].groups if found else 0,
        found[0].facts if found else 0,
        tuple(
            Copies(row.copies, row.first, row.last, scope.ids(ids.get(row.first))) for row in found
        ),
    )


def _ids(scope: Scope, said: sql.Composable, hashes: Sequence[int]) -> dict[Any, Sequence[Any]]:
    """The first keys of each group by the first of them, where they were asked for."""
    if not (hashes and scope.options.show_ids):
        return {}
    found = scope.rows(
        _Keys, "report/duplicates_ids", slots={"said": said}, hashes=hashes, listed=LISTED
    )
    return {group.keys[0]: group.keys for group in found}


def _ends(group: Copies) -> str:
    return f"{group.first}, {'..., ' if group.copies > 2 else ''}{group.last}"
