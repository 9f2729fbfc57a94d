"""The files below the PATHs of an audit, in a fixed order; what isn't read is told or counted."""

# Names as scandir has them, strings: there may be ten thousands, and a Path is made anew for each step.
# ruff: noqa: PTH110, PTH112, PTH116, PTH117, PTH118, PTH119, PTH120

from __future__ import annotations

import os
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from memory_maintenance.audit.findings import Skipped
from memory_maintenance.audit.gitignore import Pattern, patterns_in
from memory_maintenance.errors import UsageError

NEVER: Final = frozenset(
    {".git", ".hg", ".svn", ".bzr", "__pycache__", ".mypy_cache", ".ruff_cache", ".pytest_cache"}
)
"""What versioning and caches keep: passed over without a word."""

VENDORED: Final = frozenset(
    {
        ".eggs",
        ".nox",
        ".tox",
        ".venv",
        "bower_components",
        "dist",
        "dist-packages",
        "node_modules",
        "site-packages",
        "target",
        "vendor",
        "venv",
    }
)
"""Folders of other people's code and of what is built from one's own: told as skipped."""

_ENVIRONMENT: Final = "pyvenv.cfg"


@dataclass(frozen=True, slots=True)
class File:
    """A file to read. path: for the system. shown: relative to its PATH. place: what its context goes by.

    given: the PATH that it is itself, or "".
    """

    path: str
    shown: str
    place: str
    given: str = ""


@dataclass(frozen=True, slots=True)
class _Pending:
    path: str
    shown: str
    place: str
    folder: bool
    ignores: tuple[_Ignore, ...]


@dataclass(frozen=True, slots=True)
class _Ignore:
    """The patterns of one file. base: the folder that they are relative to, ending with a slash."""

    base: str
    patterns: tuple[Pattern, ...]

    def verdict(self, path: str, *, folder: bool) -> bool | None:
        """Whether the path is ignored; None where no pattern says so or otherwise."""
        relative = os.fsencode(path[len(self.base) :])
        for pattern in self.patterns:
            if pattern.matches(relative, folder=folder):
                return pattern.leaves_out
        return None


@dataclass(frozen=True, slots=True)
class _Link:
    """A link within a PATH. target: the real path of what it leads to."""

    target: str
    shown: str
    place: str


class Walk:
    """The files below some PATHs. ignored: how many files and folders patterns of git have left out.

    paths: as given, each there. leave_out: real paths of files that aren't told at all. Raises UsageError for
    a path that does not exist, and on the way for a folder among them that can't be read.
    """

    def __init__(self, paths: Sequence[str], leave_out: Collection[str] = ()) -> None:
        for path in paths:
            _require(path)
        self._paths = list(dict.fromkeys(map(tidy, paths)))
        self._leave_out = frozenset(leave_out)
        self._leave_out_names = frozenset(os.path.basename(path) for path in leave_out)
        self._roots = [os.path.realpath(path) for path in self._paths]
        self._seen: set[str] = set()
        self._links: list[_Link] = []
        self.ignored = 0

    def __iter__(self) -> Iterator[File | Skipped]:
        for path, real in zip(self._paths, self._roots, strict=True):
            yield from self._below(path, real)
        # Whether a file is read where it is, is known only now.
        for link in self._links:
            yield from self._linked(link)

    def _below(self, given: str, real: str) -> Iterator[File | Skipped]:
        place = _place_of(given)
        if not os.path.isdir(real):
            shown = given if len(self._paths) > 1 else os.path.basename(given)
            yield from self._file(_Pending(real, shown, place, folder=False, ignores=()))
            return
        prefix = f"{given}/" if len(self._paths) > 1 and given != "." else ""
        pending = [_Pending(real, prefix, f"{place}/" if place else "", True, _outer_ignores(real))]
        while pending:
            item = pending.pop()
            if not item.folder:
                yield from self._file(item)
                continue
            found: list[_Pending] = []
            yield from self._folder(item, found)
            pending += reversed(found)

    def _folder(self, folder: _Pending, found: list[_Pending]) -> Iterator[Skipped]:
        """What stands in a folder, into ``found``; yields what is skipped of it."""
        given = self._given(folder.path)
        if self._was_here(folder.path):
            return
        try:
            listed = _listed(folder.path)
        except OSError as error:
            if given:
                raise unreadable(given, _reason(error)) from None
            yield Skipped(folder.shown, _reason(error))
            return
        names = {entry.name for entry in listed}
        if not given and _ENVIRONMENT in names:
            yield _vendored(folder.shown)
            return
        ignores = folder.ignores
        if ".gitignore" in names and (own := _ignore_in(folder.path, ".gitignore")):
            ignores = (own, *ignores)
        for entry in listed:
            shown = folder.shown + entry.name
            is_folder = entry.is_dir(follow_symlinks=False)
            if entry.name in NEVER and (is_folder or entry.name == ".git"):
                continue
            path = os.path.join(folder.path, entry.name)
            if _is_ignored(path, ignores, folder=is_folder):
                self.ignored += 1
            elif entry.is_symlink():
                target = os.path.realpath(path)
                self._links.append(_Link(target, shown, folder.place + entry.name))
            elif is_folder and entry.name in VENDORED:
                yield from () if path in self._roots else (_vendored(shown + "/"),)
            else:
                slash = "/" if is_folder else ""
                place = folder.place + entry.name + slash
                found.append(_Pending(path, shown + slash, place, is_folder, ignores))

    def _file(self, item: _Pending) -> Iterator[File | Skipped]:
        given = self._given(item.path)
        if self._is_left_out(item.path):
            if given and not self._was_here(item.path):
                yield Skipped(item.shown, "the baseline itself")
        # PATHs may lie within each other.
        elif not self._was_here(item.path):
            yield File(item.path, item.shown, item.place, given)

    def _given(self, real: str) -> str:
        """The PATH that has this real path, or ""."""
        return self._paths[self._roots.index(real)] if real in self._roots else ""

    def _is_left_out(self, path: str) -> bool:
        named = os.path.basename(path) in self._leave_out_names
        return named and os.path.realpath(path) in self._leave_out

    def _was_here(self, path: str) -> bool:
        before = len(self._seen)
        self._seen.add(path)
        return len(self._seen) == before

    def _linked(self, link: _Link) -> Iterator[File | Skipped]:
        """What a link leads to, unless that is read at its own place. No link to a folder is followed."""
        if not os.path.exists(link.target):
            yield Skipped(link.shown, "a link that leads nowhere")
        elif os.path.isdir(link.target):
            if link.target not in self._seen:
                yield Skipped(link.shown, "a link to a folder that isn't read: give that as PATH")
        else:
            yield from self._file(_Pending(link.target, link.shown, link.place, False, ()))


def _listed(folder: str) -> list[os.DirEntry[str]]:
    """What stands in a folder, by name; nothing in one that went away meanwhile."""
    try:
        with os.scandir(folder) as entries:
            return sorted(entries, key=lambda entry: entry.name)
    except FileNotFoundError:
        return []


def tidy(path: str) -> str:
    """A path without dots and slashes that mean nothing. Where `..` leads to, only the system knows."""
    top = "/" if path.startswith("/") else ""
    return top + "/".join(part for part in path.split("/") if part not in ("", ".")) or "."


def unreadable(path: str, reason: str) -> UsageError:
    """What is raised for a PATH that can't be read."""
    return UsageError(f"{path}: {reason}", remedy="name a file or a directory that can be read")


def _require(path: str) -> None:
    if not path:
        raise UsageError("a PATH is empty", remedy="name a file or a directory")
    try:
        os.stat(path)
    except (OSError, ValueError) as error:
        missing = isinstance(error, FileNotFoundError | NotADirectoryError)
        raise unreadable(path, "no such file or directory" if missing else _reason(error)) from None


def _place_of(given: str) -> str:
    """What a PATH adds to the places below it: tests/unit adds both, an absolute one its last part."""
    if os.path.isabs(given):
        parent, name = os.path.split(given)
        return name if os.path.isdir(given) else os.path.join(os.path.basename(parent), name)
    return "/".join(part for part in given.split("/") if part not in (".", ".."))


def _vendored(shown: str) -> Skipped:
    return Skipped(shown, "other people's code, or built: give it as PATH to have it read")


def _is_ignored(path: str, ignores: Sequence[_Ignore], *, folder: bool) -> bool:
    for ignore in ignores:
        verdict = ignore.verdict(path, folder=folder)
        if verdict is not None:
            return verdict
    return False


def _outer_ignores(root: str) -> tuple[_Ignore, ...]:
    """The patterns from above a PATH, up to the top of its repository, nearest first.

    None where they leave out the PATH itself: it was asked for all the same.
    """
    found: list[_Ignore] = []
    folder = root
    while not os.path.lexists(os.path.join(folder, ".git")):
        parent = os.path.dirname(folder)
        if parent == folder:
            return ()
        folder = parent
        if own := _ignore_in(folder, ".gitignore"):
            found.append(own)
    if own := _ignore_in(folder, ".git/info/exclude"):
        found.append(own)
    if any(_is_ignored(path, found, folder=True) for path in _up_to(root, folder)):
        return ()
    return tuple(found)


def _up_to(path: str, top: str) -> Iterator[str]:
    while path != top:
        yield path
        path = os.path.dirname(path)


def _ignore_in(folder: str, name: str) -> _Ignore | None:
    path = Path(folder, name)
    try:
        if not path.is_file():
            return None
        patterns = patterns_in(path.read_bytes())
    except OSError:
        return None
    base = folder if folder.endswith("/") else f"{folder}/"
    return _Ignore(base, patterns) if patterns else None


def _reason(error: OSError | ValueError) -> str:
    text = getattr(error, "strerror", None) or "not a file name"
    return str(text[:1].lower() + text[1:])
