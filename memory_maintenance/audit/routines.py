"""Functions that a script defines: their bodies are strings, which are read as what they are."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from memory_maintenance.audit.bodies import Body, Function
from memory_maintenance.audit.names import Has
from memory_maintenance.audit.parsing import (
    Node,
    Token,
    kind_of,
    statements_of,
    tokens_of,
    unwrapped,
)
from memory_maintenance.audit.stated import OTHERS, OURS, Stated

_MODES = {"FUNC_PARAM_OUT": "o", "FUNC_PARAM_INOUT": "b", "FUNC_PARAM_TABLE": "t"}


@dataclass(frozen=True, slots=True)
class Routine:
    """A function or a DO block. token: which word of its statement the body is. of_rows: of its triggers."""

    token: int
    language: str
    name: str
    arguments: tuple[str, ...]
    modes: tuple[str, ...]
    relations: tuple[int, ...]
    is_trigger: bool
    triggered_by: int

    @property
    def is_sql(self) -> bool:
        """Whether its body is SQL or PL/pgSQL."""
        return self.language in ("sql", "plpgsql")

    @property
    def module(self) -> str:
        """The scanner for its language."""
        if self.language.startswith("plpython"):
            return "python"
        return "javascript" if self.language in ("plv8", "pljs") else "plain"

    def body(self, source: str, names: Stated) -> Body:
        """Its body, to be judged."""
        function = Function(
            kind="function",
            schema="",
            name=self.name,
            signature=self.name,
            language=self.language,
            source=source,
            definition="",
            oid=0,
            depends=False,
            returns_row=False,
            row_in_signature=False,
            is_trigger=self.is_trigger,
            arguments=list(self.arguments),
            argument_modes=list(self.modes),
            argument_relations=list(self.relations),
            defaults="",
            trigger_on=[self.triggered_by] if self.triggered_by else [],
            settings=[],
        )
        return Body(function, names, through=True)


def bodies_in(
    tree: Node, tokens: Sequence[Token], names: Stated, triggers: Mapping[str, Has]
) -> Iterator[Routine]:
    """The functions and DO blocks of a tree. triggers: what they are triggers of, as far as that is said."""
    for statement in statements_of(tree):
        kind = kind_of(statement)
        if kind == "CreateFunctionStmt":
            yield from _function(statement, tokens, names, triggers)
        elif kind == "DoStmt":
            options = {unwrapped(o).defname: unwrapped(unwrapped(o).arg) for o in statement.args}
            token = _string(tokens, options["as"].sval) if "as" in options else None
            if token is not None:
                language = options["language"].sval if "language" in options else "plpgsql"
                yield Routine(token, language.lower(), "", (), (), (), False, 0)


def _function(
    statement: Any, tokens: Sequence[Token], names: Stated, triggers: Mapping[str, Has]
) -> Iterator[Routine]:
    options = {unwrapped(o).defname: unwrapped(unwrapped(o).arg) for o in statement.options}
    if "as" not in options or "language" not in options:
        return
    parts = [unwrapped(item) for item in options["as"].items]
    token = _string(tokens, parts[0].sval) if len(parts) == 1 else None
    if token is None:
        return
    parameters = [unwrapped(parameter) for parameter in statement.parameters]
    name = unwrapped(statement.funcname[-1]).sval
    returned = [unwrapped(part).sval for part in statement.return_type.names]
    of_rows = triggers.get(name, Has.UNKNOWN)
    yield Routine(
        token,
        options["language"].sval.lower(),
        name,
        tuple(parameter.name for parameter in parameters),
        tuple(_mode(parameter) for parameter in parameters),
        tuple(_relation(parameter.arg_type, names) for parameter in parameters),
        returned[-1:] == ["trigger"],
        {Has.OURS: OURS, Has.ASSUMED: OTHERS, Has.OTHER: OTHERS}.get(of_rows, 0),
    )


def _mode(parameter: Any) -> str:
    field = parameter.DESCRIPTOR.fields_by_name["mode"]
    return _MODES.get(field.enum_type.values_by_number[parameter.mode].name, "i")


def _relation(type_name: Any, names: Stated) -> int:
    """The relation whose rows are of the type, 0 where it is no such type."""
    parts = [unwrapped(part).sval for part in type_name.names]
    if type_name.pct_type or not parts:
        return 0
    schema = parts[-2] if len(parts) > 1 else ""
    return OURS if names.knows_of(parts[-1:]) and names.has(schema, parts[-1]) is Has.OURS else 0


def _string(tokens: Sequence[Token], contents: str) -> int | None:
    """Which word is the string of these contents."""
    for i, token in enumerate(tokens):
        if token.kind == "string" and token.text == contents:
            return i
    return None


def triggers_in(text: str, names: Stated) -> Mapping[str, Has]:
    """The functions that a script makes triggers of, and what the tables of these say of the column."""
    if "trigger" not in text.lower():
        return {}
    found: dict[str, Has] = {}
    table: tuple[str, str] | None = None
    tokens = tokens_of(text) or []
    within = False
    for i, token in enumerate(tokens):
        if token.text == ";":
            within, table = False, None
        elif token.word == "trigger" and any(t.word == "create" for t in tokens[max(i - 4, 0) : i]):
            within = True
        elif within and token.word == "on" and table is None:
            table = _name_after(tokens, i)
        elif within and table is not None and token.word in ("function", "procedure"):
            _, function = _name_after(tokens, i)
            found[function] = max(found.get(function, Has.NONE), names.has(*table))
    return found


def _name_after(tokens: Sequence[Token], i: int) -> tuple[str, str]:
    """Schema and name of what stands after a word."""
    parts = [token.word for token in tokens[i + 1 : i + 2]]
    while tokens[i + 2 : i + 3] and tokens[i + 2].text == "." and i + 3 < len(tokens):
        parts.append(tokens[i + 3].word)
        i += 2
    return (parts[-2] if len(parts) > 1 else "", parts[-1] if parts else "")
