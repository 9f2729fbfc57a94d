"""Section suspicious: facts that are probably not what they are classified as."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any, Final

from psycopg import sql

from memory_maintenance.database import projection
from memory_maintenance.jobs.decision_rows import text_column
from memory_maintenance.jobs.report.scope import LISTED, Scope, id_notes
from memory_maintenance.model.result import Block, Column, Heading, Table

TRAITS: Final = (
    "personality", "temperament", "character", "trait", "identity", "name", "nickname", "surname",
    "birthday", "birthdate", "birthplace", "born", "age", "gender", "pronouns", "nationality", "ethnicity",
    "language", "religion", "faith", "job", "occupation", "profession", "career", "employer", "education",
    "family", "spouse", "children", "allergy", "allergies", "allergic", "diet", "disability", "blood_type",
)  # fmt: skip
"""Words in the key of what lasts. A mood of such a key was probably meant as a trait."""

ALWAYS: Final = ("always", "never", "by nature", "all my life", "since childhood")
"""Words in the value of what lasts."""

_UNCONFIRMED: Final = timedelta(days=90)
_SHOWN: Final = 5
_SAID: Final = {
    "mood_key_of_a_trait": "moods whose key names a trait",
    "mood_value_of_a_trait": "moods that say always or never",
    "permanent_never_confirmed": "permanent, never confirmed in 90 d",
}


@dataclass(frozen=True, slots=True)
class Suspicion:
    """Facts with the same thing odd about them. ids: the first 100."""

    suspicion: str
    facts: int
    ids: tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class Suspicious:
    """kinds: mood_key_of_a_trait, mood_value_of_a_trait (its key names none) and permanent_never_confirmed:
    not confirmed since it was learned, more than 90 days ago.
    """

    kinds: tuple[Suspicion, ...]
    show_ids: bool = field(default=False, metadata={"json": False})

    def blocks(self) -> Sequence[Block]:
        """A table of kinds, nothing where there are none."""
        rows = tuple(
            (_SAID[kind.suspicion], f"{kind.facts:,}", first_ids(kind.ids, kind.facts))
            for kind in self.kinds
        )
        if not rows:
            return ()
        columns = (Column("suspicion"), Column("facts", "right"), Column("ids"))
        ids = [(_SAID[k.suspicion], k.facts, k.ids) for k in self.kinds] if self.show_ids else []
        return (Heading("Suspicious facts"), Table(columns, rows), *id_notes(ids))


def collect(scope: Scope) -> Suspicious:
    """Kinds, counts and keys at the report's instant."""
    session, relation = scope.run.session, scope.relation
    kinds = session.statement(
        "report/suspicious",
        facts=relation.identifier,
        key=relation.key_identifier,
        name=text_column(relation, "key"),
        value=text_column(relation, "value"),
        learned_at=projection.column_instant(session, relation, "learned_at"),
        last_confirmed_at=projection.column_instant(session, relation, "last_confirmed_at"),
        confirmable=sql.Literal(relation.has("last_confirmed_at")) + sql.SQL(""),
    )
    found = scope.by_kind(
        kinds,
        listed=LISTED,
        trait_keys=rf"(^|[^[:alpha:]])({'|'.join(TRAITS)})([^[:alpha:]]|$)",
        trait_values=rf"\m({'|'.join(ALWAYS)})\M",
        unconfirmed_s=_UNCONFIRMED.total_seconds(),
    )
    return Suspicious(
        tuple(
            Suspicion(name, found[name].facts, tuple(found[name].keys or ()))
            for name in _SAID
            if name in found
        ),
        scope.options.show_ids,
    )


def first_ids(ids: Sequence[Any], facts: int) -> str:
    """A few keys for a cell."""
    return ", ".join(map(str, ids[:_SHOWN])) + (", ..." if facts > _SHOWN else "")
