"""A result in a file: whole, for its owner only, or not there at all."""

from __future__ import annotations

import os
import stat
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

from memory_maintenance.cli.main import main
from memory_maintenance.cli.options import SharedOptions
from memory_maintenance.cli.output import Output, place_for, write_file
from memory_maintenance.cli.parser import Command
from memory_maintenance.errors import UsageError
from memory_maintenance.model.result import Block, Note, Result
from memory_maintenance.render.formats import REPORT_FORMATS

as_ordinary_user = pytest.mark.skipif(os.geteuid() == 0, reason="needs an ordinary user")


@dataclass(frozen=True, slots=True, kw_only=True)
class Said(Result):
    def blocks(self) -> Sequence[Block]:
        return (Note("naïve 中"),)


def said(shared: SharedOptions, output: Output = None) -> Result:
    """Says a word."""
    return Said(command="said")


COMMANDS = (Command("said", f"{__name__}:said", "Says a word.", (0,), tuple(REPORT_FORMATS)),)


def mode_of(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_a_new_file_is_for_its_owner_and_one_that_was_there_keeps_its_mode(tmp_path: Path) -> None:
    path = tmp_path / "report.html"
    write_file(path, "one — 中")
    assert path.read_bytes() == "one — 中".encode()
    assert mode_of(path) == 0o600
    path.chmod(0o644)
    write_file(path, "two")
    assert (path.read_text(), mode_of(path)) == ("two", 0o644)
    assert list(tmp_path.iterdir()) == [path]


def test_a_link_stays_one_and_what_it_leads_to_is_written(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to("target")
    write_file(tmp_path / "link", "x")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "target").read_text() == "x"


def test_a_file_that_cannot_be_written_leaves_what_was_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "report.html"
    write_file(path, "before")

    def full(_descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(UsageError, match="No space left on device"):
        write_file(path, "after")
    assert path.read_text() == "before"
    assert list(tmp_path.iterdir()) == [path]


def test_a_signal_while_writing_leaves_nothing_behind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(_descriptor: int) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "fsync", interrupted)
    with pytest.raises(KeyboardInterrupt):
        write_file(tmp_path / "report.html", "x")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        (".", "it is a directory"),
        ("pipe", "it is no regular file"),
        ("missing/report.html", "there is no folder"),
        ("file/report.html", "Not a directory"),
        ("n" * 300, "File name too long"),
        ("a\0b", "no file name"),
    ],
)
def test_an_impossible_place_is_refused_before_the_work(
    tmp_path: Path, name: str, reason: str
) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "file").touch()
    with pytest.raises(UsageError, match=reason):
        place_for(tmp_path / name)


@as_ordinary_user
def test_a_folder_without_the_right_to_write_is_refused_before_the_work(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    try:
        with pytest.raises(UsageError, match="no permission"):
            place_for(tmp_path / "report.html")
    finally:
        tmp_path.chmod(0o700)


@pytest.mark.parametrize("format_", REPORT_FORMATS)
@pytest.mark.parametrize("quiet", [[], ["-q"]])
def test_the_result_goes_to_the_file_and_nowhere_else(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], format_: str, quiet: list[str]
) -> None:
    path = tmp_path / "out"
    assert (
        main(["said", "--format", format_, "--output", str(path), *quiet], commands=COMMANDS) == 0
    )
    assert capsys.readouterr() == ("", "")
    text = path.read_text(encoding="utf-8")
    assert "said" in text or "naïve 中" in text


def test_a_hyphen_is_stdout(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["said", "--output", "-"], commands=COMMANDS) == 0
    assert capsys.readouterr().out == "naïve 中\n"
    assert main(["said", "--output", "./-"], commands=COMMANDS) == 0
    assert (tmp_path / "-").read_text(encoding="utf-8") == "naïve 中\n"


def test_a_place_that_fails_is_wrong_usage(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["said", "--output", str(tmp_path)], commands=COMMANDS) == 2
    assert capsys.readouterr().err == (
        f"error: can't write {tmp_path}: it is a directory\n"
        "  try: name a regular file, or one that doesn't exist yet; - is stdout\n"
    )
