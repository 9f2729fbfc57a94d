"""What a name in SQL is compared with, or set to, where that is a literal beside it."""

from __future__ import annotations

from collections.abc import Sequence

from memory_maintenance.audit.parsing import Token

Compared = tuple[str, tuple[str | None, ...]]
_NOTHING: Compared = ("", ())
_QUANTIFIED = {("=", "any"): "in", ("=", "some"): "in", ("<>", "all"): "not in"}
_CLAUSES = frozenset({"set", "where", "on", "having", "when", "select", "and", "or"})
_NEARBY = 200
_OPERATORS = {"=": "=", "<>": "<>", "!=": "<>"}


def compared(tokens: Sequence[Token], place: int) -> Compared:
    """The comparison and the values of the word at a place: ("in", ("permanent", "identity")).

    The comparison is one of =, <>, in, not in, is null, is not null, or "" for none with literals. An
    assignment in SET is "=".
    """
    place, after = _without_parentheses(tokens, place)
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


def _without_parentheses(tokens: Sequence[Token], place: int) -> tuple[int, int]:
    """Where the name begins, with what qualifies it, casts it and stands around it, and what comes after."""
    start, after = place, _past_cast(tokens, place + 1)
    while _text(tokens, start - 1) == ".":
        start -= 2
    while _text(tokens, start - 1) == "(" and _text(tokens, after) == ")":
        before = tokens[start - 2] if start >= 2 else None
        if before is not None and before.kind == "name":
            break  # a function's
        start, after = start - 1, _past_cast(tokens, after + 1)
    return start, after


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
        # A comparison with NULL finds nothing; an assignment is one all the same.
        return (operator, (value,)) if value is not None or _assigned(tokens, i) else _NOTHING
    quantified = _QUANTIFIED.get((operator, tokens[i].word if i < len(tokens) else ""))
    if quantified:
        inner = i + 2
        if inner < len(tokens) and tokens[inner].word == "array":
            return _listed(tokens, inner + 1, quantified, brackets="[]")
        literal, value = _literal(tokens, inner)
        if literal and value is not None and value.startswith("{") and '"' not in value:
            return quantified, tuple(part.strip() for part in value.strip("{}").split(","))
    return _NOTHING


def _assigned(tokens: Sequence[Token], i: int) -> bool:
    """Whether the literal at i is set rather than compared: SET comes, and no WHERE after it."""
    words = [token.word for token in tokens[max(i - _NEARBY, 0) : i]]
    last = max((k for k, word in enumerate(words) if word in _CLAUSES), default=None)
    return last is not None and words[last] == "set"


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
    return ("=" if negated else "<>"), (value,)


def _reversed(tokens: Sequence[Token], place: int) -> Compared:
    """'permanent' = data_type."""
    operator = _OPERATORS.get(_text(tokens, place - 1))
    literal, value = _literal(tokens, place - 2)
    if operator and literal and value is not None:
        return operator, (value,)
    return _NOTHING
