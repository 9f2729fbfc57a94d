"""What recall needs of a database, for ``check-config --database``."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from memory_maintenance.database.relation import Relation
from memory_maintenance.engine.run import Run
from memory_maintenance.errors import UsageError
from memory_maintenance.jobs import recall_plan
from memory_maintenance.jobs.recall_plan import Embeddings

Finding = tuple[Literal["ok", "missing", "note"], str, str | None]
"""A state, what was found, and what to do about it."""

_TABLE = "memory_embeddings"


@dataclass(frozen=True, slots=True)
class _Writer:
    role: str


def recall_findings(run: Run, relation: Relation) -> list[Finding]:
    """How recall would search, whether its plan is the one in force, and who else may write that."""
    session = run.session
    writers = [w.role for w in session.rows(_Writer, "recall/writers")]
    if writers:
        return [
            (
                "missing",
                f"what recall executes may be written by {', '.join(writers)}",
                "REVOKE INSERT, UPDATE, TRIGGER ON memory_maintenance.recall_plan FROM them, and look at "
                "what is in it",
            )
        ]
    try:
        plan = recall_plan.compose(session, run.settings, relation)
    except UsageError as error:
        return [("missing", error.message, error.remedy)]
    findings = [_search(run, relation)]
    mine = recall_plan.rights(session)
    there = recall_plan.published(session, relation) if mine.readable else None
    if mine.readable and there is None:
        findings.append(("note", "its policy is not published yet", _publish(mine)))
    elif there is not None and there.digest != plan.digest:
        at = f"{there.published_at:%Y-%m-%d %H:%M} UTC"
        findings.append(
            ("note", f"it reckons by what was published at {at}, which is not this", _publish(mine))
        )
    return findings


def _publish(mine: recall_plan.Rights) -> str:
    who = "" if mine.writable else ", as the owner of the schema memory_maintenance"
    return f"memory-maintenance decay publishes it{who}"


def _search(run: Run, relation: Relation) -> Finding:
    session = run.session
    texts = "trigrams" if recall_plan.has_trigrams(session) else "words"
    used = recall_plan.embeddings_beside(session, relation)
    if used is not None:
        size = "" if used.dimensions is None else f" of {used.dimensions} dimensions"
        where = f"{used.schema}.{_TABLE}"
        return ("ok", f"by the embeddings{size} in {where}, and by {texts}", None)
    for found in session.rows(Embeddings, "recall/embeddings", {"oid": relation.oid}):
        where = f"{found.schema}.{_TABLE}"
        if not found.usable:
            return ("note", f"by {texts}: the column embedding of {where} is no vector", None)
        return (
            "note",
            f"by {texts}: {where} belongs to somebody else than the facts",
            f"ALTER TABLE {where} OWNER TO {relation.owner}",
        )
    return ("ok", f"by {texts}: there is no {_TABLE}", None)
