"""How recall works on a table, composed from the projection and published for whoever calls it (spec 4).

``memory_maintenance.recall`` is called by programs that have no configuration. It executes statements that
stand in ``memory_maintenance.recall_plan``: the very fragments that ``decay`` writes by, with the policy in
force as literals. ``migrate-types``, ``decay`` and the command ``recall`` publish them, where they differ
from what is there and this role has the rights of the table's owner: what is executed must come from nobody
else.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from typing import Any, Final

from psycopg import sql

from memory_maintenance.config.load import Loaded
from memory_maintenance.config.models import Settings
from memory_maintenance.database import projection
from memory_maintenance.database.projection import Instant
from memory_maintenance.database.relation import Relation
from memory_maintenance.database.session import Session, facts_path
from memory_maintenance.engine.run import Run
from memory_maintenance.errors import UsageError
from memory_maintenance.jobs.decision_rows import superseded, text_column
from memory_maintenance.jobs.privacy import told
from memory_maintenance.jobs.single_fact import INTEGERS

# As PostgreSQL prints them: one text for each key.
_INTEGER: Final = "^(0|-?[1-9][0-9]{0,18})$"
_UUID: Final = "^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$"
_ITERATIVE_SINCE: Final = (0, 8)
# The parameters of the statements that find and rank, in the order of recall's PREPARE.
_FINDING: Final = {
    "query": "$1",
    "wanted": "$2",
    "as_of": "$3",
    "present": "$3",
    "viewer": "$4",
    "told": "$5",
    "only_categories": "$6",
    "only_durabilities": "$7",
    "gate": "$8",
    "k": "$9",
    "explained": "$10",
}
_RECORDING: Final = {"keys": "$1", "at": "$2"}


@dataclass(frozen=True, slots=True)
class Embeddings:
    """A table memory_embeddings. usable: its shape is the one that is known; trusted: so is its owner.

    dimensions: None where the column takes vectors of any.
    """

    schema: str
    usable: bool
    trusted: bool
    vector_schema: str | None
    vector: str | None
    dimensions: int | None
    version: str | None

    @property
    def iterative(self) -> bool:
        """Whether an index goes on where its first candidates are too few (pgvector 0.8)."""
        parts = (self.version or "").split(".")[:2]
        return all(p.isdigit() for p in parts) and tuple(int(p) for p in parts) >= _ITERATIVE_SINCE


@dataclass(frozen=True, slots=True)
class Plan:
    """What is published, but for its digest: the columns of memory_maintenance.recall_plan."""

    facts_path: str
    by_text: str
    by_index: str | None
    by_distance: str | None
    iterative: bool
    min_similarity: float
    min_text_similarity: float
    recording: str
    recording_free: str

    @property
    def digest(self) -> str:
        """SHA-256 of all of it."""
        return hashlib.sha256(json.dumps(asdict(self), sort_keys=True).encode()).hexdigest()


@dataclass(frozen=True, slots=True)
class Published:
    """A plan in the database."""

    digest: str
    published_at: datetime


@dataclass(frozen=True, slots=True)
class Rights:
    """What this role may do with the published plans."""

    readable: bool
    writable: bool


@dataclass(frozen=True, slots=True)
class _Place:
    schema: str


@dataclass(frozen=True, slots=True)
class _Known:
    known: bool


def compose(session: Session, settings: Settings, relation: Relation) -> Plan:
    """How recall works on this table under these settings.

    Raises UsageError where the table isn't migrated, or has columns that can't be read.
    """
    projection.require_columns(relation)
    embeddings = embeddings_beside(session, relation)
    candidate = session.statement(
        "recall/candidate",
        told=told(session, relation),
        superseded=superseded(session, relation),
        expires=projection.column_instant(session, relation, "expires"),
    )
    slots = {
        "facts": relation.identifier,
        "key": relation.key_identifier,
        "candidate": candidate,
    }

    def ranking(name: str, **more: sql.Composable) -> str:
        near = session.statement(name, **more)
        return _ranking(session, settings, relation, near, candidate)

    by_index = by_distance = None
    if embeddings is not None:
        found = _vector_slots(session, embeddings)
        by_index = ranking("recall/by_index", **found)
        by_distance = ranking("recall/by_distance", **slots, **found)
    similarity = _similarity(session, settings, relation)
    return Plan(
        facts_path=facts_path(relation.schema),
        by_text=ranking("recall/by_text", **slots, similarity=similarity),
        by_index=by_index,
        by_distance=by_distance,
        iterative=embeddings is not None and embeddings.iterative,
        min_similarity=settings.recall.min_similarity,
        min_text_similarity=settings.recall.min_text_similarity,
        recording=_recording(session, relation, projection.NOTHING),
        recording_free=_recording(session, relation, sql.SQL(" SKIP LOCKED")),
    )


def publish(session: Session, loaded: Loaded, relation: Relation, plan: Plan) -> None:
    """Publishes the plan, within the open transaction or as one."""
    session.run(
        "recall/publish",
        {
            "table_name": relation.qualified,
            "digest": plan.digest,
            "config_hash": loaded.policy_hash,
            **asdict(plan),
        },
    )


def published(session: Session, relation: Relation) -> Published | None:
    """What is published for the table."""
    return session.row(Published, "recall/published", {"table_name": relation.qualified})


def rights(session: Session) -> Rights:
    """What this role may do with the published plans; nothing where there is no table of them."""
    return session.row(Rights, "recall/rights") or Rights(readable=False, writable=False)


def refreshed(run: Run, relation: Relation) -> tuple[str, ...]:
    """Has recall reckon by the policy of this run from now on; what stands against it, as notes."""
    try:
        run.transaction(lambda: refresh(run.session, run.loaded, relation))
    except UsageError as error:
        return (f"recall can't work on this table: {error.message}",)
    return ()


def refresh(session: Session, loaded: Loaded, relation: Relation) -> bool | None:
    """Publishes where what is there differs and this role may. Gives whether what is there is in force.

    None: this role can't read what is there.
    """
    mine = rights(session)
    if not mine.readable and not mine.writable:
        return None
    plan = compose(session, loaded.settings, relation)
    there = published(session, relation)
    if there is not None and there.digest == plan.digest:
        return True
    if mine.writable and not session.server.read_only:
        publish(session, loaded, relation, plan)
        return True
    return False


def embeddings_beside(session: Session, relation: Relation) -> Embeddings | None:
    """The table of embeddings that recall uses, None where it compares texts."""
    for found in session.rows(Embeddings, "recall/embeddings", {"oid": relation.oid}):
        if found.usable and found.trusted:
            return found
    return None


def has_trigrams(session: Session) -> bool:
    """Whether texts are compared by trigrams rather than words."""
    return session.row(_Place, "recall/trigram_schema") is not None


def _ranking(
    session: Session,
    settings: Settings,
    relation: Relation,
    near: sql.Composed,
    candidate: sql.Composed,
) -> str:
    """The statement that ranks what is near."""
    reading = session.statement(
        "recall/reading",
        reading=projection.reading(session, relation),
        key=relation.key_identifier,
        candidate=candidate,
    )
    statement = session.statement(
        "recall/ranked",
        near=near,
        source=_source(session, relation),
        projected=projection.projection(session, relation, reading),
        facts=relation.identifier,
        key=relation.key_identifier,
        name=text_column(relation, "key"),
        value=text_column(relation, "value"),
        explanation=session.statement("recall/explanation", survival=projection.SURVIVAL),
    )
    # What confidence is reckoned from has no bearing on importance.
    instant = Instant(datetime.min.replace(tzinfo=UTC), "-infinity")
    policy = projection.parameters(
        settings,
        projection.policy_table(settings),
        instant,
        zone=session.zoneless_timezone,
    )
    weights = settings.recall.category_weight
    policy |= {
        "importance_weight": settings.recall.importance_weight,
        "weighted_categories": list(weights),
        "category_weights": list(weights.values()),
    }
    return _text(session, statement, _FINDING, policy)


def _similarity(session: Session, settings: Settings, relation: Relation) -> sql.Composed:
    document = session.statement(
        "recall/document",
        name=text_column(relation, "key"),
        value=text_column(relation, "value"),
    )
    place = session.row(_Place, "recall/trigram_schema")
    if place is not None:
        return session.statement(
            "recall/trigrams",
            document=document,
            word_similarity=sql.Identifier(place.schema, "word_similarity"),
        )
    name = settings.recall.text_search
    known = session.row(_Known, "recall/text_search", {"name": name})
    if known is None or not known.known:
        raise UsageError(
            f"recall.text_search: the server knows no text search configuration {name}",
            remedy="one of those that pg_catalog.pg_ts_config lists, such as english or simple",
        )
    configuration = sql.Literal(f"pg_catalog.{name}") + sql.SQL("::pg_catalog.regconfig")
    return session.statement("recall/lexemes", document=document, configuration=configuration)


def _vector_slots(session: Session, embeddings: Embeddings) -> dict[str, sql.Composable]:
    assert embeddings.vector_schema is not None
    assert embeddings.vector is not None
    vector = sql.Identifier(embeddings.vector_schema, embeddings.vector)
    comparable: sql.Composable = sql.SQL("true")
    if embeddings.dimensions is None:
        dims = sql.Identifier(embeddings.vector_schema, "vector_dims")
        comparable = session.statement("recall/comparable", dims=dims, vector=vector)
    return {
        "embeddings": sql.Identifier(embeddings.schema, "memory_embeddings"),
        "vector": vector,
        "comparable": comparable,
        "operator": sql.SQL("OPERATOR({}.<=>)").format(sql.Identifier(embeddings.vector_schema)),
    }


def _source(session: Session, relation: Relation) -> sql.Composed:
    kind = relation.columns[relation.key].type
    form, fits = _UUID, sql.SQL("true") + projection.NOTHING
    if kind in INTEGERS:
        form, bound = _INTEGER, 2 ** INTEGERS[kind]
        fits = sql.SQL(
            "pg_catalog.length(c.source) < 5"
            " OR c.source::pg_catalog.numeric BETWEEN {}::pg_catalog.numeric AND {}::pg_catalog.numeric"
        ).format(sql.Literal(-bound), sql.Literal(bound - 1))
    return session.statement(
        "recall/source", key_type=relation.key_type, form=sql.Literal(form), fits=fits
    )


def _recording(session: Session, relation: Relation, patience: sql.Composable) -> str:
    statement = session.statement(
        "access/record",
        facts=relation.identifier,
        key=relation.key_identifier,
        source=_source(session, relation),
        patience=patience,
    )
    return _text(session, statement, _RECORDING)


def _text(
    session: Session,
    statement: sql.Composed,
    places: dict[str, str],
    params: dict[str, Any] | None = None,
) -> str:
    """The statement with params as literals and the rest as the places of an EXECUTE."""
    own = {name: value for name, value in (params or {}).items() if name not in places}
    return session.text(statement, own, **places)
