"""Faults of the settings in plain English, each with its place (spec 10).

pydantic finds them; its own words, which may echo passwords, are never shown.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterator
from collections.abc import Set as AbstractSet
from typing import Any, Final, get_args

from pydantic import BaseModel, ValidationError

from memory_maintenance.config.document import (
    Branch,
    Items,
    Key,
    Leaf,
    Node,
    Path,
    dotted,
    leaves,
    looks_secret,
)
from memory_maintenance.config.models import (
    MAY_BE_NEVER,
    AccessTier,
    AfterDeadline,
    ArchiveSettings,
    BackfillSettings,
    CategoryPolicy,
    ConfidenceSettings,
    ContractSettings,
    DatabaseSettings,
    DurabilityName,
    DurabilityPolicy,
    ImportanceSettings,
    MonitoringSettings,
    ObligationSettings,
    RecallSettings,
    ScoringSettings,
    Settings,
)
from memory_maintenance.errors import ConfigProblem

HIDDEN: Final = "(hidden)"

_LONGEST_SEEN: Final = 60
# Below database, only what stands under one of these is ever shown: the rest may be a misspelt dsn.
_SHOWN_BELOW_DATABASE: Final = frozenset(
    field.alias or name for name, field in DatabaseSettings.model_fields.items()
) - {"dsn"}
_EXPECTED: Final = {
    "float_type": "write a number such as 0.5, without quotes, unit, underscores or leading zeros",
    "int_type": "write a whole number such as 8, without quotes, decimals or leading zeros",
    "finite_number": "write a finite number",
    "string_type": "write text; a number, true, false or null that is meant as text needs quotes",
    "tuple_type": "write a list: [one, two]",
    "mapping_type": "write keys, with their values below",
    "dict_type": "write keys, with their values below",
    "model_type": "write keys, with their values below",
    "time_delta_type": "write a number and a unit, such as 36h or 10d",
    "missing": "give it a value",
    "too_long": "the list is too long",
    "too_short": "the list is too short",
}
_BOUNDS: Final = {
    "greater_than_equal": ("ge", "it must be {:g} or more"),
    "greater_than": ("gt", "it must be more than {:g}"),
    "less_than_equal": ("le", "it must be {:g} or less"),
    "less_than": ("lt", "it must be less than {:g}"),
}
_MODELS: Final[dict[Path, type[BaseModel]]] = {
    (): Settings,
    ("database",): DatabaseSettings,
    ("durability", "*"): DurabilityPolicy,
    ("category", "*"): CategoryPolicy,
    ("category", "*", "after_deadline"): AfterDeadline,
    ("confidence",): ConfidenceSettings,
    ("obligation",): ObligationSettings,
    ("importance",): ImportanceSettings,
    ("importance", "access_boost", "*"): AccessTier,
    ("scoring",): ScoringSettings,
    ("recall",): RecallSettings,
    ("archive",): ArchiveSettings,
    ("backfill",): BackfillSettings,
    ("contract",): ContractSettings,
    ("monitoring",): MonitoringSettings,
}


def explain(
    error: ValidationError, tree: Branch, refused: AbstractSet[Path]
) -> list[ConfigProblem]:
    """The faults that pydantic found in the plain form of tree, in the order it found them.

    refused: paths that were left out of the tree and reported already; what follows from their
    absence isn't reported again.
    """
    problems = []
    details = error.errors(include_url=False, include_input=False)
    for detail in details:
        path = _path_in(tree, detail["loc"])
        if any(path[: len(gap)] == gap or gap[: len(path)] == path for gap in refused):
            continue
        problems.append(_problem(detail["type"], detail.get("ctx", {}), path, tree))
    return problems


def misplaced_deadlines(tree: Branch) -> Iterator[ConfigProblem]:
    """Categories other than obligation that were given an `after_deadline` (spec 5)."""
    categories = tree.nodes.get("category")
    for name, policy in categories.nodes.items() if isinstance(categories, Branch) else ():
        node = policy.nodes.get("after_deadline") if isinstance(policy, Branch) else None
        if node is not None and name != "obligation":
            path = ("category", name, "after_deadline")
            allowed = "only obligation has a deadline: leave it out"
            yield ConfigProblem(
                node.origin.file, node.origin.line, dotted(path), "out of place", allowed
            )


def accidental_nevers(tree: Branch) -> Iterator[ConfigProblem]:
    """Half-lives and limits with nothing behind the colon: read as never, it would be by accident."""
    for path, node in leaves(tree):
        if isinstance(node, Leaf) and node.value is None and path[-1] in MAY_BE_NEVER:
            nothing = "decay" if path[-1] == "half_life" else "limit"
            allowed = f"for no {nothing} write never; for the default leave it out"
            yield ConfigProblem(node.origin.file, node.origin.line, dotted(path), "empty", allowed)


def unknown_steps(tree: Branch, steps: frozenset[str]) -> Iterator[ConfigProblem]:
    """Entries of `run` that aren't among the steps there are."""
    run = tree.nodes.get("run")
    for position, node in enumerate(run.nodes if isinstance(run, Items) else ()):
        if isinstance(node, Leaf) and isinstance(node.value, str) and node.value not in steps:
            path = ("run", position)
            allowed = f"no such step; {suggestion(node.value, steps)}"
            yield ConfigProblem(
                node.origin.file, node.origin.line, dotted(path), shown(node, path), allowed
            )


def suggestion(name: str, known: AbstractSet[str]) -> str:
    """What to write in place of a name that isn't known: the closest known one, or all of them."""
    close = difflib.get_close_matches(name, sorted(known), n=1)
    return f"did you mean {close[0]}?" if close else f"known here: {', '.join(sorted(known))}"


def shown(node: Node, path: Path) -> str:
    """The value at path for a message: at most 60 printable characters, and never a password."""
    if path[:1] == ("database",) and (len(path) == 1 or path[1] not in _SHOWN_BELOW_DATABASE):
        return HIDDEN
    if path == ("scoring", "api_key_env"):
        return HIDDEN  # what is refused there may be the key itself
    if path == ("monitoring", "ping_url"):
        return HIDDEN
    match node:
        case Branch():
            return "a mapping"
        case Items():
            return "a list"
        case Leaf(value=None):
            return "empty"
        case Leaf() if looks_secret(node.text):
            return HIDDEN
    text = node.text if node.text.isprintable() else node.text.encode("unicode_escape").decode()
    if len(text) > _LONGEST_SEEN:
        text = text[: _LONGEST_SEEN - 3] + "..."
    return text or '""'


def _problem(kind: str, context: dict[str, Any], path: Path, tree: Branch) -> ConfigProblem:
    node, reached = _deepest(tree, path)
    seen: str | None
    match kind:
        case "extra_forbidden" | "invalid_key":
            seen, allowed = "unknown", suggestion(str(path[-1]), _known_at(path[:-1]))
        case "literal_error" if path[:1] == ("durability",):
            advice = suggestion(str(path[-1]), frozenset(get_args(DurabilityName)))
            seen, allowed = "unknown", f"other names belong under category; {advice}"
        case "value_error" if not isinstance(node, Leaf):
            # A rule about a list or a mapping as a whole: there is no single value to show.
            seen, allowed = None, _allowed(kind, context)
        case _ if isinstance(node, Leaf) and node.value is None:
            seen, allowed = "empty", "give it a value, or leave it out for the default"
        case _:
            seen = shown(node, path) if reached == len(path) else "missing"
            allowed = _allowed(kind, context)
    return ConfigProblem(node.origin.file, node.origin.line, dotted(path), seen, allowed)


def _allowed(kind: str, context: dict[str, Any]) -> str:
    if kind == "value_error":
        return str(context["error"])
    if kind == "literal_error":
        return f"use {context['expected']}"
    if kind in _BOUNDS:
        name, sentence = _BOUNDS[kind]
        return sentence.format(context[name])
    return _EXPECTED.get(kind, "this isn't valid here: see docs/configuration.md")


def _known_at(path: Path) -> frozenset[str]:
    for pattern, model in _MODELS.items():
        if len(pattern) == len(path) and all(
            p in ("*", q) for p, q in zip(pattern, path, strict=True)
        ):
            return frozenset(f.alias or name for name, f in model.model_fields.items())
    return frozenset()


def _path_in(tree: Branch, loc: tuple[int | str, ...]) -> Path:
    """The path of the tree that a pydantic location means."""
    path: Path = ()
    node: Node | None = tree
    for part in loc:
        if part == "[key]":
            break
        step: Key | int = part
        match node:
            case Branch() if part not in node.nodes and part == "None" and None in node.nodes:
                # pydantic has no null in a location.
                step = None
                node = node.nodes[None]
            case Branch():
                node = node.nodes.get(str(part))
            case Items() if isinstance(part, int) and part < len(node.nodes):
                node = node.nodes[part]
            case _:
                node = None
        path = (*path, step)
    return path


def _deepest(tree: Branch, path: Path) -> tuple[Node, int]:
    """The node that path leads to, or as far along it as there are nodes, and how far that is."""
    node: Node = tree
    for reached, part in enumerate(path):
        match node:
            case Branch() if not isinstance(part, int) and part in node.nodes:
                node = node.nodes[part]
            case Items() if isinstance(part, int) and part < len(node.nodes):
                node = node.nodes[part]
            case _:
                return node, reached
    return node, len(path)
