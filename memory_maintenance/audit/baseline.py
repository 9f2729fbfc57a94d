"""A file of what was found once, so that only what comes after it counts.

An entry is known by file, kind and the text of its line, not by the line's number: what moves stays known.
Alike ones are counted. An object of the database is known by its name, kind and definition.
"""

from __future__ import annotations

import hashlib
import json
import os
import stat
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from memory_maintenance.audit.files import Unread, kind_of_file, read_bounded
from memory_maintenance.audit.findings import DatabaseEntry, Finding
from memory_maintenance.audit.subject import Subject
from memory_maintenance.errors import UsageError

VERSION: Final = 1

LARGEST: Final = 64 << 20
"""Bytes of a baseline: some hundred thousand entries."""

_FILE_KEYS: Final = ("file", "kind", "text")
_DATABASE_KEYS: Final = ("object", "kind", "definition")
Key = tuple[str, str, str]


@dataclass(frozen=True, slots=True)
class Baseline:
    """What is known: how often there was a finding, or an object, of a key."""

    findings: Counter[Key]
    database: Counter[Key]


NOTHING_KNOWN: Final = Baseline(Counter(), Counter())


@dataclass(frozen=True, slots=True)
class Split:
    """New findings and known ones. stale: keys of entries that nothing matches any more."""

    new: tuple[Finding, ...]
    known: tuple[Finding, ...]
    stale: tuple[Key, ...]


@dataclass(frozen=True, slots=True)
class DatabaseSplit:
    """The same for objects of the database."""

    new: tuple[DatabaseEntry, ...]
    known: tuple[DatabaseEntry, ...]
    stale: tuple[Key, ...]


def key_of(finding: Finding) -> Key:
    """What a finding is known by, wherever in its file it stands."""
    return finding.file, finding.kind, " ".join(finding.text.split())


def key_of_object(entry: DatabaseEntry) -> Key:
    """What an object is known by. Its definition counts, by a hash: another one has other uses."""
    spelt = " ".join(entry.definition.split())
    return entry.object, entry.kind, hashlib.sha256(spelt.encode(errors="replace")).hexdigest()[:16]


def load(path: Path, subject: Subject) -> Baseline:
    """The baseline in a file. Raises UsageError where it can't be read, is none, or is of another column."""
    try:
        document = json.loads(_bytes_of(path))
    except (ValueError, RecursionError):
        raise _broken(path, "it is no JSON document") from None
    if not isinstance(document, dict) or document.get("version") != VERSION:
        raise _broken(path, f"it is no baseline of version {VERSION}")
    if document.get("column") != subject.column:
        raise _broken(path, f"it is of another column than {subject.column}")
    return Baseline(
        Counter(dict(_entries(path, document.get("findings"), _FILE_KEYS))),
        Counter(dict(_entries(path, document.get("database"), _DATABASE_KEYS))),
    )


def split(findings: Iterable[Finding], known: Counter[Key]) -> Split:
    """Parts findings by a baseline: the first ones alike are known, as many as there were."""
    left = Counter(known)
    new: list[Finding] = []
    old: list[Finding] = []
    for finding in findings:
        key = key_of(finding)
        (old if left[key] > 0 else new).append(finding)
        left[key] -= left[key] > 0
    return Split(tuple(new), tuple(old), tuple(sorted(+left)))


def split_database(entries: Iterable[DatabaseEntry], known: Counter[Key]) -> DatabaseSplit:
    """The same for objects of the database."""
    left = Counter(known)
    new: list[DatabaseEntry] = []
    old: list[DatabaseEntry] = []
    for entry in entries:
        key = key_of_object(entry)
        (old if left[key] > 0 else new).append(entry)
        left[key] -= left[key] > 0
    return DatabaseSplit(tuple(new), tuple(old), tuple(sorted(+left)))


def text_of(
    subject: Subject, findings: Sequence[Finding], database: Sequence[DatabaseEntry]
) -> str:
    """The baseline of what was found, as a file. Sorted, so that two of them compare well."""
    document = {
        "version": VERSION,
        "command": "audit-data-type-refs",
        "column": subject.column,
        "findings": list(_documents(Counter(map(key_of, findings)), _FILE_KEYS)),
        "database": list(_documents(Counter(map(key_of_object, database)), _DATABASE_KEYS)),
    }
    return json.dumps(document, indent=2, ensure_ascii=True) + "\n"


def place_for(path: Path) -> Path:
    """Where a baseline of that name is to be written: where a link leads to.

    Raises UsageError where something stands there that is no regular file, or where it can't be told.
    """
    place = Path(os.path.realpath(path))
    try:
        mode = place.lstat().st_mode
    except FileNotFoundError:
        return place
    except (OSError, ValueError) as error:
        raise _unwritable(path, error) from None
    if not stat.S_ISREG(mode):
        raise UsageError(
            f"can't write the baseline {path}: it is {kind_of_file(mode)}",
            remedy="name a regular file, or one that doesn't exist yet",
        )
    return place


def write(path: Path, text: str) -> None:
    """Puts a file in place whole, or leaves what was there. Raises UsageError where it can't."""
    place = place_for(path)
    temporary = None
    try:
        with tempfile.NamedTemporaryFile(
            "w", dir=place.parent, prefix=f".{place.name[:100]}.", delete=False
        ) as file:
            temporary = Path(file.name)
            file.write(text)
            file.flush()
            os.fchmod(file.fileno(), _mode_for(place))
            os.fsync(file.fileno())
        temporary.replace(place)
    except OSError as error:
        if temporary is not None:
            with suppress(OSError):
                temporary.unlink()
        raise _unwritable(path, error) from None


def _mode_for(place: Path) -> int:
    """The rights of the file that was there, else those that files have."""
    with suppress(FileNotFoundError):
        return stat.S_IMODE(place.stat().st_mode)
    umask = os.umask(0)
    os.umask(umask)
    return 0o666 & ~umask


def _unwritable(path: Path, error: OSError | ValueError) -> UsageError:
    reason = getattr(error, "strerror", None) or "no file name"
    return UsageError(f"can't write the baseline {path}: {reason}")


def _bytes_of(path: Path) -> bytes:
    """What a regular file of a baseline's size holds."""
    try:
        data = read_bounded(str(path), LARGEST)
    except Unread as reason:
        raise UsageError(f"can't read the baseline {path}: {reason}") from None
    if len(data) > LARGEST:
        raise _broken(path, f"it has more than {LARGEST >> 20} MB")
    return data


def _documents(counted: Counter[Key], names: Sequence[str]) -> Iterator[dict[str, Any]]:
    for key, count in sorted(counted.items()):
        yield {**dict(zip(names, key, strict=True)), "count": count}


def _entries(path: Path, listed: object, names: Sequence[str]) -> Iterator[tuple[Key, int]]:
    if not isinstance(listed, list):
        raise _broken(path, "a list is missing in it")
    for entry in listed:
        if not isinstance(entry, dict):
            raise _broken(path, "an entry of it is no object")
        parts = [entry.get(name) for name in names]
        count = entry.get("count", 1)
        if not all(isinstance(part, str) for part in parts) or type(count) is not int or count < 1:
            raise _broken(path, f"an entry lacks one of {', '.join(names)}, or counts wrongly")
        first, second, third = map(str, parts)
        yield (first, second, third), count


def _broken(path: Path, reason: str) -> UsageError:
    return UsageError(
        f"can't use the baseline {path}: {reason}", remedy="write it anew with --write-baseline"
    )
