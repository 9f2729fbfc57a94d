"""The CHECKs that migrate-types adds, and whether one of the same name means the same.

PostgreSQL gives a condition back in its own spelling, which depends on the column's type: ``durability``
as varchar is cast, BETWEEN becomes two comparisons. Spellings are compared, not run: what a stranger put into
a constraint must not be executed to find out what it is.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import product

from psycopg import sql

from memory_maintenance.database.session import Session
from memory_maintenance.errors import UsageError
from memory_maintenance.migration.state import (
    CHECK_AXES,
    CHECK_DURABILITY,
    CHECK_IMPORTANCE,
    State,
)

CONDITIONS = {
    # They are also asked of the table before, among whatever public holds: hence text, which has
    # operators of its own where varchar borrows them.
    CHECK_DURABILITY: sql.SQL(
        "durability::text IN ('permanent', 'long_term', 'short_term', 'ephemeral')"
    ),
    CHECK_IMPORTANCE: sql.SQL("importance BETWEEN 1 AND 10"),
}
"""Our CHECKs on values, by name."""
AXES_PRESENT = sql.SQL("durability IS NOT NULL AND category IS NOT NULL")
"""The condition of CHECK_AXES."""

_DURABILITIES = frozenset({"permanent", "long_term", "short_term", "ephemeral"})
_COLUMNS = {
    CHECK_DURABILITY: ["durability"],
    CHECK_IMPORTANCE: ["importance"],
    CHECK_AXES: ["category", "durability"],
}
_TOKEN = re.compile(
    r"""'(?:[^']|'')*'                      # a literal
    | ::\s*(?:character\ varying|[a-z]+)(?:\(\d+\))?(?:\[\])?   # a cast
    | "(?:[^"]|"")*" | \w+ | [<>=!~*/+-]+ | \S""",
    re.VERBOSE,
)
# What leaves a value as it is. varchar of another length would cut it.
_TEXT_CASTS = re.compile(r"::\s*(?:character varying(?:\(20\))?|text)(?:\[\])?")
_NUMBER_CASTS = re.compile(r"::\s*(?:smallint|integer|bigint)(?:\[\])?")
_LITERAL = re.compile(r"'(?:[^']|'')*'")
_QUOTED_NUMBER = re.compile(r"'(\d+)'")
# At the end of a definition. NOT ENFORCED, of PostgreSQL 18, is none of them: it checks nothing.
_HARMLESS_ENDS = re.compile(r"(?: NO INHERIT)?(?: NOT VALID)?$")


@dataclass(frozen=True, slots=True)
class _Constraint:
    name: str
    kind: str
    columns: list[str]
    definition: str


def prove(session: Session, state: State) -> None:
    """Raises UsageError where a constraint has the name of one of ours and another meaning."""
    names = [name for name in _COLUMNS if name in state.constraints]
    if not names:
        return
    params = {"oid": state.relation.oid, "names": names}
    label = state.relation.label
    for found in session.rows(_Constraint, "migration/constraints", params):
        if (
            found.kind == "c"
            and found.columns == _COLUMNS[found.name]
            and means(found.name, found.definition)
        ):
            continue
        raise UsageError(
            f"{label} has a constraint of our name with another meaning: {found.name} is "
            f"{found.definition}",
            remedy=f"rename it: ALTER TABLE {label} RENAME CONSTRAINT {found.name} TO ..., or drop it",
        )


def means(name: str, definition: str) -> bool:
    """Whether the definition of a CHECK, as PostgreSQL gives it, means what our CHECK of that name means."""
    if not definition.startswith("CHECK "):
        return False
    condition = _HARMLESS_ENDS.sub("", definition.removeprefix("CHECK "))
    if name == CHECK_IMPORTANCE:
        plain = _plain(condition, _NUMBER_CASTS).removeprefix("importance IS NULL OR ")
        return plain in _IMPORTANCE_SPELLINGS
    if name == CHECK_DURABILITY:
        return listed("durability", condition) == _DURABILITIES
    return _plain(condition, _TEXT_CASTS) in (
        "durability IS NOT NULL AND category IS NOT NULL",
        "category IS NOT NULL AND durability IS NOT NULL",
    )


def listed(column: str, condition: str) -> frozenset[str]:
    """The values that a condition, as PostgreSQL gives it, allows in a column of text, NULL apart.

    column: as SQL reads it. Empty where the condition is no list of values in one of the usual spellings.
    """
    plain = _plain(condition, _TEXT_CASTS).removeprefix(f"{column} IS NULL OR ")
    if match := re.fullmatch(rf"{re.escape(column)} = ANY ARRAY \[ (.*) \]", plain):
        literals = match[1].split(" , ")
    else:
        alternatives = plain.split(" OR ")
        if not all(a.startswith(f"{column} = ") for a in alternatives):
            return frozenset()
        literals = [a.removeprefix(f"{column} = ") for a in alternatives]
    if not all(_LITERAL.fullmatch(literal) for literal in literals):
        return frozenset()
    return frozenset(literal[1:-1].replace("''", "'") for literal in literals)


def _plain(condition: str, casts: re.Pattern[str]) -> str:
    """The condition without parentheses and harmless casts, one blank between tokens.

    Parentheses can go: what is accepted has operators of one kind only, but for "is NULL or" before it,
    which says what holds of every CHECK, wherever its parentheses end.
    """
    tokens = [
        token
        for token in _TOKEN.findall(condition)
        if token not in ("(", ")") and not casts.fullmatch(token)
    ]
    if casts is _NUMBER_CASTS:
        tokens = [_QUOTED_NUMBER.sub(r"\1", token) for token in tokens]
    return " ".join(tokens)


def _spellings_of_importance() -> Iterable[str]:
    for low, high in product(
        ("importance >= 1", "importance > 0", "1 <= importance", "0 < importance"),
        ("importance <= 10", "importance < 11", "10 >= importance", "11 > importance"),
    ):
        yield f"{low} AND {high}"
        yield f"{high} AND {low}"
    numbers = " , ".join(str(n) for n in range(1, 11))
    yield f"importance = ANY ARRAY [ {numbers} ]"


_IMPORTANCE_SPELLINGS = frozenset(_spellings_of_importance())
