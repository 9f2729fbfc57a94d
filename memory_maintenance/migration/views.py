"""Views that outlive data_type: those that only show it can compute it from durability and category.

CREATE OR REPLACE VIEW keeps a view's owner, grants, comment and whatever stands on it, as long as its
columns keep their names, types and collations. Where the column does more than to be shown, a computed value
would change plans, results or both: such a view is reported with the reason, and left to its owner.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from memory_maintenance.audit.database import DATA_TYPE, load_names
from memory_maintenance.audit.names import Names, Verdict
from memory_maintenance.audit.parsing import kind_of, parsed, statements_of, tokens_of, unwrapped
from memory_maintenance.audit.resolver import Mention, Statements
from memory_maintenance.database.relation import Relation
from memory_maintenance.database.session import Session

_REASONS = {
    "filter": "filters by it",
    "join": "joins by it",
    "group": "groups by it",
    "having": "filters groups by it",
    "sort": "sorts by it",
    "distinct": "selects distinct rows",
    "window": "uses it in a window",
    "from": "uses it in FROM",
    "limit": "limits its rows by it",
    "expression": "uses it in an expression",
    "subquery": "uses it in a subquery",
    "with": "uses it in a WITH query",
    "set operation": "combines queries by UNION, INTERSECT or EXCEPT",
}
"""What a view does with the column, by the clause of its query; the first that applies is told."""
# The longest value that is computed, "observation": a cast to less would cut it without a word.
_LONGEST_VALUE = 11


@dataclass(frozen=True, slots=True)
class KeptView:
    """A view that can be kept. name: qualified, as SQL reads it.

    former: the statement that restores the view as it is now; statement: the one that computes the column.
    Both are complete, options included, without a semicolon. depth: how many views that name the column, or
    stand on one that does, lie between it and the table, at most.
    """

    oid: int
    name: str
    schema: str
    relname: str
    former: str
    statement: str
    depth: int


@dataclass(frozen=True, slots=True)
class UnkeptView:
    """A view that can't be kept. reason: the end of a sentence that begins with its name."""

    oid: int
    name: str
    reason: str


@dataclass(frozen=True, slots=True)
class _View:
    oid: int
    schema: str
    relname: str
    name: str
    definition: str
    owner: str
    options: str
    replaceable: bool
    may_create: bool
    temporary: bool
    invoker: bool
    owner_reads: bool
    depth: int
    outputs: list[str]
    types: list[str]
    collations: list[str]
    plain: list[bool]
    lengths: list[int]


@dataclass(frozen=True, slots=True)
class Output:
    """How a view shows the column. type, collation: as SQL reads them, "" for the default collation."""

    type: str
    collation: str


class _CannotKeepError(Exception):
    """Its text is the reason."""


def keep(
    session: Session, relation: Relation, column: str = DATA_TYPE
) -> tuple[list[KeptView], list[UnkeptView]]:
    """The views that name the column of the table: those that can be kept, and those that can't.

    Only reads. Materialized views are not among them.
    """
    params = {"oid": relation.oid, "column": column}
    names = load_names(session, relation, column)
    kept: list[KeptView] = []
    unkept: list[UnkeptView] = []
    columns = session.statement("audit/columns")
    for view in session.rows(_View, "audit/views", params, columns=columns):
        try:
            computed = _computed(names, view)
        except _CannotKeepError as reason:
            unkept.append(UnkeptView(view.oid, view.name, str(reason)))
            continue
        kept.append(
            KeptView(
                view.oid,
                view.name,
                view.schema,
                view.relname,
                _statement(view, view.definition),
                _statement(view, computed),
                view.depth,
            )
        )
    return kept, unkept


def _statement(view: _View, query: str) -> str:
    options = f" WITH ({view.options})" if view.options else ""
    return f"CREATE OR REPLACE VIEW {view.name}{options} AS\n{query.rstrip().removesuffix(';')}"


def _computed(names: Names, view: _View) -> str:
    """The view's query with the column computed. Raises _CannotKeepError."""
    if view.temporary:
        raise _CannotKeepError("is a temporary view of somebody's session")
    if not view.replaceable:
        raise _CannotKeepError(f"belongs to {view.owner}, whose rights this role doesn't have")
    if not view.may_create:
        raise _CannotKeepError(f"is in schema {view.schema}, where this role may not create")
    if not view.invoker and not view.owner_reads:
        raise _CannotKeepError(
            f"belongs to {view.owner}, who may not read durability and category of {names.label}"
        )
    return computed(names, view.definition, _outputs(view))


def _outputs(view: _View) -> dict[str, Output | str]:
    """Each column of the view: how to cast to it, or why no text can be."""
    found: dict[str, Output | str] = {}
    for name, type_, collation, plain, length in zip(
        view.outputs, view.types, view.collations, view.plain, view.lengths, strict=True
    ):
        if not plain:
            found[name] = f"shows it as {type_}, which not every text fits"
        elif 0 <= length < _LONGEST_VALUE:
            found[name] = f"shows it as {type_}, too short for what would be computed"
        else:
            found[name] = Output(type_, collation)
    return found


def computed(names: Names, definition: str, outputs: dict[str, Output | str]) -> str:
    """The query of a view with each bare output of the column computed, and everything else as it was.

    definition: as pg_get_viewdef gives it. outputs: of the view by name, a text where it can't be cast to.
    Raises _CannotKeepError.
    """
    tree = parsed(definition)
    if tree is None:
        raise _CannotKeepError("has a query that is nested too deeply to be read")
    if not tree.stmts:
        raise _CannotKeepError("has been dropped since")
    mentions = _mentions(names, tree)
    if reason := _reason(mentions):
        raise _CannotKeepError(reason)
    (select,) = statements_of(tree)
    if select.distinct_clause:
        raise _CannotKeepError(_REASONS["distinct"])
    locations = {mention.location for mention in mentions if mention.verdict is Verdict.YES}
    if not locations:
        raise _CannotKeepError("gives the table's columns other names")
    raw = definition.encode()
    tokens = tokens_of(definition) or []
    starts = {token.start: i for i, token in enumerate(tokens)}
    # From the end, so that what was spliced in doesn't move what is still to come.
    for target, reference in reversed(_bare_columns(select)):
        if reference.location not in locations:
            continue
        shown = target.name or unwrapped(reference.fields[-1]).sval
        output = outputs[shown]
        if isinstance(output, str):
            raise _CannotKeepError(output)
        # Byte offsets, in the text as libpg_query read it. A name and a dot are a word each.
        last = tokens[starts[reference.location] + 2 * (len(reference.fields) - 1)]
        prefix = raw[reference.location : last.start].decode()
        name = raw[last.start : last.end].decode()
        value = (
            f"memory_maintenance.data_type_of({prefix}durability, {prefix}category)::{output.type}"
        )
        if output.collation:
            value += f" COLLATE {output.collation}"
        if not target.name:
            value += f" AS {name}"
        raw = raw[: reference.location] + value.encode() + raw[last.end :]
    return raw.decode()


def _bare_columns(select: Any) -> list[tuple[Any, Any]]:
    """The outputs of a query that are nothing but a column: target and reference, in their order."""
    targets = [unwrapped(target) for target in select.target_list]
    pairs = [(target, unwrapped(target.val)) for target in targets]
    return [(target, value) for target, value in pairs if kind_of(value) == "ColumnRef"]


def _mentions(names: Names, tree: Any) -> list[Mention]:
    statements = Statements(names, lambda _: Verdict.MAYBE)
    statements.read(tree)
    found = [mention for mention in statements.mentions if mention.verdict is not Verdict.NO]
    if Verdict.YES in statements.whole_rows:
        raise _CannotKeepError("uses whole rows of the table, too")
    return found


def _reason(mentions: list[Mention]) -> str | None:
    places = {mention.place for mention in mentions}
    for place, reason in _REASONS.items():
        if place in places:
            return reason
    if any(mention.verdict is Verdict.MAYBE for mention in mentions):
        return "names it in a way that can't be traced to the table"
    return None
