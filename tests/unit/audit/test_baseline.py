"""What is known already doesn't count, wherever it has moved."""

from __future__ import annotations

import json
import os
import socket
import stat
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from memory_maintenance.audit.baseline import (
    load,
    split,
    split_database,
    text_of,
    write,
)
from memory_maintenance.audit.findings import DatabaseEntry, Finding
from memory_maintenance.audit.subject import Subject, TableName
from memory_maintenance.errors import UsageError

SUBJECT = Subject("data_type", (TableName("", "entity_facts"),))
READ = Finding("a.py", 3, 9, "certain", "read", "runtime", 'x = row["data_type"]')
VIEW = DatabaseEntry("view public.v", "view", "certain", "SELECT data_type FROM entity_facts")


def known(tmp_path: Path, *findings: Finding, objects: tuple[DatabaseEntry, ...] = ()) -> Any:
    path = tmp_path / "baseline.json"
    write(path, text_of(SUBJECT, findings, objects))
    return load(path, SUBJECT)


def test_a_line_that_moved_or_was_indented_anew_stays_known(tmp_path: Path) -> None:
    moved = replace(READ, line=70, column=13, text='x  =  row["data_type"]')
    found = split([moved], known(tmp_path, READ).findings)
    assert (found.new, found.known, found.stale) == ((), (moved,), ())


@pytest.mark.parametrize(
    "other",
    [
        replace(READ, file="b.py"),
        replace(READ, kind="write"),
        replace(READ, text='y = row["data_type"]'),
    ],
)
def test_another_file_kind_or_text_is_new(tmp_path: Path, other: Finding) -> None:
    found = split([other], known(tmp_path, READ).findings)
    assert found.new == (other,)
    assert found.stale == (("a.py", "read", 'x = row["data_type"]'),)


def test_of_alike_ones_as_many_are_known_as_there_were(tmp_path: Path) -> None:
    three = [replace(READ, line=line) for line in (1, 5, 9)]
    found = split(three, known(tmp_path, *three[:2]).findings)
    assert [f.line for f in found.known] == [1, 5]
    assert [f.line for f in found.new] == [9]


def test_one_that_is_gone_of_several_alike_is_told(tmp_path: Path) -> None:
    found = split([READ], known(tmp_path, READ, READ).findings)
    assert found.known == (READ,)
    assert len(found.stale) == 1


def test_an_object_is_known_until_its_definition_changes(tmp_path: Path) -> None:
    before = known(tmp_path, objects=(VIEW,)).database
    reflowed = replace(VIEW, definition="SELECT data_type\n  FROM entity_facts")
    assert split_database([reflowed], before).known == (reflowed,)
    changed = replace(VIEW, definition="SELECT data_type, id FROM entity_facts")
    found = split_database([changed], before)
    assert found.new == (changed,)
    assert [key[:2] for key in found.stale] == [("view public.v", "view")]


def test_two_baselines_of_the_same_are_the_same(tmp_path: Path) -> None:
    other = replace(READ, file="b.py", line=1)
    assert text_of(SUBJECT, [READ, other], [VIEW]) == text_of(SUBJECT, [other, READ], [VIEW])


def test_a_name_that_is_no_text_survives(tmp_path: Path) -> None:
    odd = replace(READ, file="caf\udce9.py")
    assert split([odd], known(tmp_path, odd).findings).known == (odd,)


def test_a_baseline_is_written_over_with_the_rights_that_files_have(tmp_path: Path) -> None:
    path = tmp_path / "baseline.json"
    write(path, "old")
    write(path, "new")
    assert path.read_text() == "new"
    assert stat.S_IMODE(path.stat().st_mode) & 0o600 == 0o600
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("place", ["missing/baseline.json", "folder"])
def test_one_that_can_not_be_written_is_wrong_usage_and_leaves_nothing(
    tmp_path: Path, place: str
) -> None:
    (tmp_path / "folder").mkdir()
    with pytest.raises(UsageError, match="can't write the baseline"):
        write(tmp_path / place, "text")
    assert list(tmp_path.iterdir()) == [tmp_path / "folder"]


GOOD: dict[str, Any] = {"version": 1, "column": "data_type", "findings": [], "database": []}
ENTRY = {"file": "a", "kind": "read", "text": "x", "count": 1}


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "\xff",
        "[" * 100_000,
        "[]",
        "null",
        json.dumps({**GOOD, "version": 2}),
        json.dumps({**GOOD, "column": "colour"}),
        json.dumps({**GOOD, "findings": None}),
        json.dumps({**GOOD, "database": {}}),
        json.dumps({**GOOD, "findings": ["x"]}),
        json.dumps({**GOOD, "findings": [{**ENTRY, "file": 1}]}),
        json.dumps({**GOOD, "findings": [{**ENTRY, "count": 0}]}),
        json.dumps({**GOOD, "findings": [{**ENTRY, "count": True}]}),
        json.dumps({**GOOD, "findings": [{"file": "a"}]}),
    ],
)
def test_a_broken_baseline_is_wrong_usage(tmp_path: Path, text: str) -> None:
    path = tmp_path / "baseline.json"
    path.write_text(text, encoding="latin-1")
    with pytest.raises(UsageError, match="can't use the baseline"):
        load(path, SUBJECT)


def test_a_baseline_that_is_not_there_is_wrong_usage(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"can't read the baseline .* no such file"):
        load(tmp_path / "missing.json", SUBJECT)


def test_a_baseline_is_written_through_links_to_the_file_they_lead_to(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    real = tmp_path / "real/known.json"
    real.write_text("old")
    real.chmod(0o640)
    (tmp_path / "near.json").symlink_to("real/known.json")
    (tmp_path / "far.json").symlink_to(tmp_path / "near.json")
    write(tmp_path / "far.json", "new")
    assert (tmp_path / "far.json").is_symlink()
    assert (tmp_path / "near.json").is_symlink()
    assert real.read_text() == "new"
    assert stat.S_IMODE(real.stat().st_mode) == 0o640
    assert list((tmp_path / "real").iterdir()) == [real]


def test_a_link_to_a_file_that_is_not_there_yet_makes_it(tmp_path: Path) -> None:
    (tmp_path / "link.json").symlink_to("made.json")
    write(tmp_path / "link.json", "new")
    assert (tmp_path / "made.json").read_text() == "new"
    assert (tmp_path / "link.json").is_symlink()


def special(tmp_path: Path, kind: str) -> Path:
    path = tmp_path / "special"
    if kind == "FIFO":
        os.mkfifo(path)
    elif kind == "socket":
        with socket.socket(socket.AF_UNIX) as bound:
            bound.bind(str(path))
    elif kind == "directory":
        path.mkdir()
    elif kind == "device":
        return Path(os.devnull)
    elif kind == "link to a device":
        path.symlink_to(os.devnull)
    return path


SPECIAL = pytest.mark.parametrize(
    "kind", ["FIFO", "socket", "directory", "device", "link to a device"]
)


@SPECIAL
def test_what_is_no_regular_file_is_never_written_over(tmp_path: Path, kind: str) -> None:
    path = special(tmp_path, kind)
    before = path.stat()
    with pytest.raises(UsageError, match=r"can't write the baseline .*: it is a "):
        write(path, "text")
    assert (path.stat().st_mode, path.stat().st_ino) == (before.st_mode, before.st_ino)


@SPECIAL
def test_what_is_no_regular_file_is_never_read(tmp_path: Path, kind: str) -> None:
    with pytest.raises(UsageError, match=r"can't read the baseline .*: a "):
        load(special(tmp_path, kind), SUBJECT)


def test_links_in_a_circle_are_wrong_usage(tmp_path: Path) -> None:
    (tmp_path / "a").symlink_to("b")
    (tmp_path / "b").symlink_to("a")
    with pytest.raises(UsageError, match="can't write the baseline"):
        write(tmp_path / "a", "text")
    assert (tmp_path / "a").is_symlink()
    with pytest.raises(UsageError, match="can't read the baseline"):
        load(tmp_path / "a", SUBJECT)


def test_a_huge_file_is_no_baseline(tmp_path: Path) -> None:
    path = tmp_path / "huge.json"
    with path.open("wb") as file:
        file.truncate(200 << 30)
    with pytest.raises(UsageError, match="more than 64 MB"):
        load(path, SUBJECT)
