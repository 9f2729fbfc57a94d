"""Files, environment and options as one frozen `Settings`, each value with its origin (spec 10)."""

from __future__ import annotations

import hashlib
import importlib.resources
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import timedelta
from functools import cache
from pathlib import Path
from typing import Any, Final

import platformdirs
from pydantic import ValidationError

from memory_maintenance.config.document import (
    MAX_BYTES,
    MAX_PROBLEMS,
    Branch,
    Document,
    Items,
    Leaf,
    Node,
    Origin,
    dotted,
    leaves,
    read_document,
    resolve_plain,
)
from memory_maintenance.config.document import Path as KeyPath
from memory_maintenance.config.faults import (
    accidental_nevers,
    explain,
    misplaced_deadlines,
    unknown_steps,
)
from memory_maintenance.config.models import Settings
from memory_maintenance.errors import ConfigError, ConfigProblem

__all__ = ["BUILT_IN", "Loaded", "Origin", "built_in_text", "load"]

BUILT_IN: Final = "built-in"
FILE_NAME: Final = "memory-maintenance.yaml"
FILE_VARIABLE: Final = "MEMORY_MAINTENANCE_CONFIG"
SYSTEM_FILE: Final = Path("/etc/memory-maintenance") / FILE_NAME

# Environment variables that set a single key. They overlay the file; options overlay them.
VARIABLES: Final = {
    "MEMORY_MAINTENANCE_DSN": "database.dsn",
    "MEMORY_MAINTENANCE_SCHEMA": "database.schema",
    "MEMORY_MAINTENANCE_TABLE": "database.table",
    "MEMORY_MAINTENANCE_PING_URL": "monitoring.ping_url",
}

_NO_OVERRIDES: Final[Mapping[str, str]] = {}


@dataclass(frozen=True, slots=True)
class Loaded:
    """The settings in force and where they come from.

    files: the file that was read, if any, as it was named. origins: dotted key -> origin, for every
    single value and every list (a list is replaced as a whole). policy_hash: SHA-256 in hex of what
    changes what a run computes, in a canonical form; the same for the same policy however it is
    spelt. Connection, timeouts, pace and the order of steps aren't part of it.
    """

    settings: Settings
    files: tuple[str, ...]
    origins: Mapping[str, Origin]
    policy_hash: str


def load(
    path: Path | None = None,
    *,
    environ: Mapping[str, str],
    overrides: Mapping[str, str] = _NO_OVERRIDES,
    steps: frozenset[str] | None = None,
    option: str = "--config",
) -> Loaded:
    """The settings: built-in, overlaid by one file, then by the environment, then by options.

    path: the file of ``option``; None searches $MEMORY_MAINTENANCE_CONFIG, the user's configuration
    folder and /etc, and reads the first that is there. environ: the environment, as os.environ.
    overrides: dotted key -> text, from options. steps: the names that `run` may hold; None leaves
    them unchecked. Raises ConfigError with every fault at once, in the order of the lines.
    """
    tree = _built_in()
    files: tuple[str, ...] = ()
    problems: list[ConfigProblem] = []
    refused: frozenset[KeyPath] = frozenset()
    found = _find(path, environ, option)
    if found is not None:
        document = _read(*found)
        files = (str(found[0]),)
        problems += document.problems
        refused = document.refused
        tree = _overlaid(tree, document.root)
    for key, text, origin in _single_values(environ, overrides):
        tree = _with_value(tree, key, text, Origin(origin, None))
    settings: Settings | None = None
    try:
        settings = Settings.model_validate(_plain(tree))
    except ValidationError as error:
        problems += explain(error, tree, refused)
    problems += misplaced_deadlines(tree)
    problems += accidental_nevers(tree)
    if steps is not None:
        problems += unknown_steps(tree, steps)
    if problems or settings is None:
        raise _error(problems, files)
    return Loaded(settings, files, _origins(tree), _policy_hash(settings))


def built_in_text() -> str:
    """The commented default YAML, which is also the documentation of every key."""
    packaged = importlib.resources.files("memory_maintenance.config") / FILE_NAME
    if packaged.is_file():
        return packaged.read_text(encoding="utf-8")
    # A source checkout: the build copies this file to where it was looked for first.
    source = Path(__file__).parents[2] / "config" / FILE_NAME
    return source.read_text(encoding="utf-8")


@cache
def _built_in() -> Branch:
    """Read once: nothing changes a tree, and most of what loading takes is to read this one."""
    document = read_document(built_in_text().encode(), BUILT_IN)
    if document.problems:
        raise _error(list(document.problems), (BUILT_IN,))
    return document.root


def _find(
    path: Path | None, environ: Mapping[str, str], option: str
) -> tuple[Path, str | None] | None:
    """The file to read and who named it: nobody, where it stands in one of the usual places."""
    if path is not None:
        return path, option
    if named := environ.get(FILE_VARIABLE):
        return Path(named), FILE_VARIABLE
    for usual in (*_user_files(environ), SYSTEM_FILE):
        try:
            usual.lstat()
        except (FileNotFoundError, NotADirectoryError):
            continue
        except OSError:
            # It can't even be seen: reading it says why, rather than running on other settings.
            pass
        return usual, None
    return None


def _user_files(environ: Mapping[str, str]) -> Iterator[Path]:
    # XDG has relative paths ignored. Without a HOME in the environment given there is no user whose
    # folder to read; platformdirs alone would ask the process and the password database.
    folder = Path(environ.get("XDG_CONFIG_HOME", ""))
    if folder.is_absolute():
        yield folder / "memory-maintenance" / FILE_NAME
    elif "HOME" in environ:
        yield platformdirs.user_config_path("memory-maintenance") / FILE_NAME


def _read(path: Path, named_by: str | None) -> Document:
    source = "" if named_by is None else f" (from {named_by})"
    remedy = "correct the name, or leave it out to use the built-in defaults" if named_by else None
    try:
        with path.open("rb") as file:
            data = file.read(MAX_BYTES + 1)
    except FileNotFoundError:
        raise ConfigError(f"no such file: {path}{source}", remedy=remedy) from None
    except IsADirectoryError:
        raise ConfigError(
            f"this is a directory, not a file: {path}{source}", remedy=remedy
        ) from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or "not a file name"
        raise ConfigError(f"can't read {path}{source}: {reason}", remedy=remedy) from None
    return read_document(data, str(path))


def _single_values(
    environ: Mapping[str, str], overrides: Mapping[str, str]
) -> Iterator[tuple[str, str, str]]:
    for variable, key in VARIABLES.items():
        # An empty variable is how a service file takes one back.
        if text := environ.get(variable):
            yield key, text, variable
    for key, text in overrides.items():
        yield key, text, "--" + key.rpartition(".")[2].replace("_", "-")


def _overlaid(below: Branch, above: Branch) -> Branch:
    nodes = dict(below.nodes)
    for key, node in above.nodes.items():
        match nodes.get(key), node:
            case Branch() as old, Branch():
                nodes[key] = _overlaid(old, node)
            case Branch(), Leaf(value=None):
                # A section whose lines are all commented out says nothing.
                pass
            case _:
                nodes[key] = node
    return Branch(nodes, above.origin)


def _with_value(tree: Branch, key: str, text: str, origin: Origin) -> Branch:
    *sections, name = key.split(".")
    old: Node | None = tree
    for part in (*sections, name):
        old = old.nodes.get(part) if isinstance(old, Branch) else None
    # An option is text. It is a number where the default is one; a table named 2024 stays a name.
    number = isinstance(old, Leaf) and isinstance(old.value, int | float)
    node: Node = Leaf(_number(text) if number else text, text, origin)
    nodes: dict[str | None, Node] = {name: node}
    for part in reversed(sections):
        nodes = {part: Branch(nodes, origin)}
    return _overlaid(tree, Branch(nodes, origin))


def _number(text: str) -> str | int | float | bool | None:
    try:
        return resolve_plain(text)
    except ValueError:
        return text


def _plain(node: Node) -> Any:
    """The tree as pydantic takes it; lists as tuples, since the models are strict."""
    match node:
        case Leaf():
            return node.value
        case Items():
            return tuple(_plain(item) for item in node.nodes)
        case Branch():
            return {key: _plain(value) for key, value in node.nodes.items()}


def _origins(tree: Branch) -> dict[str, Origin]:
    return {dotted(path): node.origin for path, node in leaves(tree)}


def _error(problems: list[ConfigProblem], files: tuple[str, ...]) -> ConfigError:
    in_file = [p for p in problems if p.file in files]
    elsewhere = [p for p in problems if p.file not in files]
    ordered = sorted(in_file, key=lambda p: p.line or 0) + elsewhere
    number = f"{len(ordered)} faults" if len(ordered) > 1 else "a fault"
    return ConfigError(f"the configuration has {number}", problems=ordered[:MAX_PROBLEMS])


def _policy_hash(settings: Settings) -> str:
    policy = {
        "timezone": settings.timezone,
        "zoneless_timezone": settings.database.zoneless_timezone,
        "durability": {name: p.model_dump() for name, p in settings.durability.items()},
        "category": {name: p.model_dump() for name, p in settings.category.items()},
        "confidence": settings.confidence.model_dump(),
        "obligation": settings.obligation.model_dump(),
        "importance": settings.importance.model_dump(),
        "archive": settings.archive.model_dump(),
        # As pairs: the key null and a value spelt "null" are two keys, and JSON has but one.
        "data_type": sorted(
            ([key is None, key or "", *axes] for key, axes in settings.data_type.items()),
        ),
    }
    canonical = json.dumps(policy, sort_keys=True, separators=(",", ":"), default=_seconds)
    return hashlib.sha256(canonical.encode()).hexdigest()


def _seconds(value: object) -> float:
    if isinstance(value, timedelta):
        return value.total_seconds()
    raise TypeError(f"no canonical form for {type(value).__name__}")
