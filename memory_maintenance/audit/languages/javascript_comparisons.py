"""What a place in JavaScript is compared with, or set to, where that is written beside it."""

from __future__ import annotations

from collections.abc import Sequence

from tree_sitter import Node

from memory_maintenance.audit.candidate import Kind
from memory_maintenance.audit.languages.javascript_texts import LITERALS, Texts, unwrapped
from memory_maintenance.audit.languages.trees import Twig
from memory_maintenance.audit.subject import Subject
from memory_maintenance.audit.suggestions import suggestion_for

_Compared = tuple[str, tuple[str | None, ...]]
_NOTHING: _Compared = ("", ())
_OPERATORS = {"===": "=", "==": "=", "!==": "<>", "!=": "<>", "=": "=", "<>": "<>"}
_NULLS = frozenset({"null", "undefined"})
_METHODS = {
    "where": "=",
    "andWhere": "=",
    "orWhere": "=",
    "eq": "=",
    "set": "=",
    "update": "=",
    "neq": "<>",
    "ne": "<>",
    "not": "<>",
    "whereNot": "<>",
    "in": "in",
    "whereIn": "in",
    "inArray": "in",
    "whereNotIn": "not in",
    "notInArray": "not in",
    "whereNull": "is null",
    "isNull": "is null",
    "whereNotNull": "is not null",
    "isNotNull": "is not null",
    "is": "is null",
}
_KEYS = {"in": "in", "notIn": "not in", "not": "<>", "equals": "=", "eq": "=", "ne": "<>"}


def compared_with(texts: Texts, subject: Subject, twig: Twig, kind: Kind) -> str:
    """The suggestion for a place by the literal beside it; "" where there is none."""
    comparison, values = _compared(texts, twig)
    if not comparison:
        return ""
    return suggestion_for(subject, kind, comparison, values)


def _compared(texts: Texts, twig: Twig) -> _Compared:
    twig = _outermost(twig)
    parent = twig.parent
    if parent is None:
        return _NOTHING
    if parent.type == "pair" and twig.field == "key":
        return _keyed(texts, parent.node.child_by_field_name("value"))
    if parent.type in ("binary_expression", "assignment_expression"):
        return _binary(texts, parent, twig)
    if parent.type == "augmented_assignment_expression":
        return _valued(texts, parent.node.child_by_field_name("right"), "=")
    if parent.type == "switch_statement":
        return _cases(texts, parent.node)
    if parent.type == "arguments" and parent.parent is not None:
        return _argument(texts, parent, twig)
    return _NOTHING


def _outermost(twig: Twig) -> Twig:
    """The place with the parentheses and assertions around it."""
    while twig.parent is not None and twig.parent.type in (
        "parenthesized_expression",
        "non_null_expression",
        "as_expression",
        "computed_property_name",
    ):
        twig = twig.parent
    return twig


def _value(texts: Texts, node: Node) -> tuple[bool, str | None]:
    node = unwrapped(node)
    if node.type in _NULLS or (node.type == "identifier" and texts.name_of(node) in _NULLS):
        return True, None
    if node.type in LITERALS and not any(
        child.type in ("template_substitution", "escape_sequence") for child in node.named_children
    ):
        return True, texts.name_of(node).strip("`")
    return False, None


def _valued(texts: Texts, node: Node | None, comparison: str) -> _Compared:
    """A comparison with one value, or with null."""
    if node is None:
        return _NOTHING
    known, value = _value(texts, node)
    if not known:
        return _NOTHING
    if value is None:
        return ("is not null" if comparison == "<>" else "is null"), (None,)
    return comparison, (value,)


def _listed(texts: Texts, node: Node, comparison: str) -> _Compared:
    node = unwrapped(node)
    if node.type == "new_expression":
        arguments = node.child_by_field_name("arguments")
        if arguments is None or arguments.named_child_count != 1:
            return _NOTHING
        node = unwrapped(arguments.named_child(0))
    if node.type != "array":
        return _NOTHING
    values = [_value(texts, child) for child in node.named_children if child.type != "comment"]
    if not values or not all(known for known, _ in values):
        return _NOTHING
    return comparison, tuple(value for _, value in values)


def _keyed(texts: Texts, value: Node | None) -> _Compared:
    """{data_type: 'permanent'}, {data_type: {in: [...]}}, {data_type: [...]}."""
    if value is None:
        return _NOTHING
    node = unwrapped(value)
    if node.type == "array":
        return _listed(texts, node, "in")
    if node.type == "object" and node.named_child_count == 1:
        pair = node.named_child(0)
        comparison = _KEYS.get(texts.name_of(pair.child_by_field_name("key")), "")
        inner = pair.child_by_field_name("value")
        if not comparison or inner is None:
            return _NOTHING
        if comparison in ("in", "not in"):
            return _listed(texts, inner, comparison)
        return _valued(texts, inner, comparison)
    return _valued(texts, node, "=")


def _binary(texts: Texts, parent: Twig, twig: Twig) -> _Compared:
    other = parent.node.child_by_field_name("right" if twig.field == "left" else "left")
    if parent.type == "assignment_expression":
        return _valued(texts, other, "=") if twig.field == "left" else _NOTHING
    operator = parent.node.child_by_field_name("operator")
    comparison = _OPERATORS.get(operator.type if operator is not None else "")
    return _valued(texts, other, comparison) if comparison else _NOTHING


def _cases(texts: Texts, node: Node) -> _Compared:
    body = node.child_by_field_name("body")
    values = []
    for case in body.named_children if body is not None else ():
        value = case.child_by_field_name("value") if case.type == "switch_case" else None
        if value is not None:
            known, text = _value(texts, value)
            if not known:
                return _NOTHING
            values.append(text)
    return ("in", tuple(values)) if values else _NOTHING


def _argument(texts: Texts, arguments: Twig, twig: Twig) -> _Compared:
    """['permanent'].includes(x), where('data_type', 'permanent'), eq(facts.data_type, 'permanent')."""
    call = arguments.parent
    if call is None or call.type != "call_expression":
        return _NOTHING
    name, on, values = texts.call(call.node)
    if name in ("includes", "has") and on is not None:
        return _listed(texts, on, "not in" if _negated(call) else "in")
    comparison = _METHODS.get(name)
    if comparison is None or not values or values[0].start_byte != twig.start:
        return _NOTHING
    return _method(texts, name, comparison, values[1:])


def _method(texts: Texts, name: str, comparison: str, given: Sequence[Node]) -> _Compared:
    if comparison in ("is null", "is not null") and name != "is":
        return comparison, (None,)
    if not given:
        return _NOTHING
    if comparison in ("in", "not in"):
        return _listed(texts, given[0], comparison)
    if len(given) == 2:
        known, operator = _value(texts, given[0])
        lowered = (operator or "").lower() if known else ""
        if lowered in ("in", "not in"):
            return _listed(texts, given[1], lowered)
        operated = _OPERATORS.get(lowered) or {"is": "=", "is not": "<>"}.get(lowered)
        return _valued(texts, given[1], operated) if operated else _NOTHING
    return _valued(texts, given[0], "=" if name == "is" else comparison)


def _negated(call: Twig) -> bool:
    parent = call.parent
    while parent is not None and parent.type == "parenthesized_expression":
        parent = parent.parent
    if parent is None or parent.type != "unary_expression":
        return False
    operator = parent.node.child_by_field_name("operator")
    return operator is not None and operator.type == "!"
