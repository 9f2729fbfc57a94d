"""What a name in SQL is compared with, or set to, where that is a literal beside it."""

from __future__ import annotations

from collections.abc import Sequence

from memory_maintenance.audit.parsing import Token

Compared = tuple[str, tuple[str | None, ...]]
_NOTHING: Compared = ("", ())
_OPERATORS = {"=": "=", "<>": "<>", "!=": "<>"}


def compared(tokens: Sequence[Token], place: int) -> Compared:
    """The comparison and the values of the word at a place: ("in", ("permanent", "identity")).

    The comparison is one of =, <>, in, not in, is null, is not null, or "" for none with literals. An
    assignment in SET is "=".
    """
    after = _past_cast(tokens, place + 1)
    words = [token.word for token in tokens[after : after + 3]]
    if words[:2] == ["is", "null"]:
        return "is null", (None,)
    if words == ["is", "not", "null"]:
        return "is not null", (None,)
    if words[:3] == ["is", "not", "distinct"] or words[:2] == ["is", "distinct"]:
        return _distinct(tokens, after, negated=words[1] == "not")
    if words[:1] == ["in"]:
        return _listed(tokens, after + 1, "in")
    if words[:2] == ["not", "in"]:
        return _listed(tokens, after + 2, "not in")
    operator = _OPERATORS.get(_text(tokens, after))
    if operator:
        return _operand(tokens, after + 1, operator)
    return _reversed(tokens, place)


def _text(tokens: Sequence[Token], i: int) -> str:
    return tokens[i].text if 0 <= i < len(tokens) and tokens[i].kind == "sign" else ""


def _literal(tokens: Sequence[Token], i: int) -> tuple[bool, str | None]:
    if not 0 <= i < len(tokens):
        return False, None
    if tokens[i].kind == "string":
        return True, tokens[i].text
    return tokens[i].word == "null", None


def _past_cast(tokens: Sequence[Token], i: int) -> int:
    """The word after ::text and the like."""
    while _text(tokens, i) == "::":
        i += 2
        if _text(tokens, i) == "(":
            while i < len(tokens) and _text(tokens, i) != ")":
                i += 1
            i += 1
    return i


def _operand(tokens: Sequence[Token], i: int, operator: str) -> Compared:
    literal, value = _literal(tokens, i)
    if literal:
        return operator, (value,)
    if i < len(tokens) and tokens[i].word == "any" and operator == "=":
        inner = i + 2
        if inner < len(tokens) and tokens[inner].word == "array":
            return _listed(tokens, inner + 1, "in", brackets="[]")
        literal, value = _literal(tokens, inner)
        if literal and value is not None and value.startswith("{") and '"' not in value:
            return "in", tuple(part.strip() for part in value.strip("{}").split(","))
    return _NOTHING


def _listed(tokens: Sequence[Token], i: int, comparison: str, brackets: str = "()") -> Compared:
    if _text(tokens, i) != brackets[0]:
        return _NOTHING
    values: list[str | None] = []
    i += 1
    while i < len(tokens):
        literal, value = _literal(tokens, i)
        if not literal:
            return _NOTHING
        values.append(value)
        i = _past_cast(tokens, i + 1)
        if _text(tokens, i) == brackets[1]:
            return comparison, tuple(values)
        i += 1
    return _NOTHING


def _distinct(tokens: Sequence[Token], i: int, *, negated: bool) -> Compared:
    start = i + (4 if negated else 3)
    literal, value = _literal(tokens, start)
    if not literal:
        return _NOTHING
    if value is None:
        return ("is null" if negated else "is not null"), (None,)
    return ("=" if negated else "is distinct from"), (value,)


def _reversed(tokens: Sequence[Token], place: int) -> Compared:
    """'permanent' = data_type."""
    start = place
    while _text(tokens, start - 1) == ".":
        start -= 2
    operator = _OPERATORS.get(_text(tokens, start - 1))
    literal, value = _literal(tokens, start - 2)
    if operator and literal and value is not None:
        return operator, (value,)
    return _NOTHING
