"""Files as text: encodings, languages, and what isn't read."""

from __future__ import annotations

import codecs
import os
import socket
from pathlib import Path

import pytest

from memory_maintenance.audit.files import (
    MAX_LINE,
    MAX_PARSED,
    Needles,
    Unread,
    blocks_of,
    decoded,
    language_of,
    look,
    read,
)
from memory_maintenance.audit.languages import LANGUAGES, PLAIN
from memory_maintenance.audit.subject import Subject, TableName

SUBJECT = Subject("data_type", (TableName("", "entity_facts"),))
NEEDLES = Needles.of(SUBJECT)
PYTHON = LANGUAGES[0]


def put(folder: Path, data: bytes, name: str = "f") -> str:
    path = folder / name
    path.write_bytes(data)
    return str(path)


@pytest.mark.parametrize(
    ("data", "lines"),
    [(b"", 0), (b"a", 1), (b"a\n", 1), (b"a\nb", 2), (b"\n\n", 2), (b"a\r\nb\r\n", 2)],
)
def test_lines_are_counted(tmp_path: Path, data: bytes, lines: int) -> None:
    assert look(put(tmp_path, data), NEEDLES).lines == lines


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-32", "latin-1"])
def test_the_words_are_found_in_any_encoding(tmp_path: Path, encoding: str) -> None:
    seen = look(put(tmp_path, "é DATA_TYPE\nof Entity_Facts".encode(encoding)), NEEDLES)
    assert (seen.column, seen.table, seen.lines) == (True, True, 2)
    assert look(put(tmp_path, "é datatype".encode(encoding)), NEEDLES).matters is False


@pytest.mark.parametrize("order", [codecs.BOM_UTF16_BE, codecs.BOM_UTF16_LE])
def test_utf_16_of_either_order_is_read(order: bytes) -> None:
    encoding = "utf-16-be" if order == codecs.BOM_UTF16_BE else "utf-16-le"
    assert decoded(order + "data_type é".encode(encoding)).text == "data_type é"


def test_a_binary_is_not_read(tmp_path: Path) -> None:
    with pytest.raises(Unread, match="binary"):
        look(put(tmp_path, b"\x7fELF\0data_type"), NEEDLES)


def test_a_nul_far_down_makes_no_binary(tmp_path: Path) -> None:
    assert look(put(tmp_path, b"data_type" + b" " * 9000 + b"\0"), NEEDLES).column


@pytest.mark.parametrize("name", ["fifo", "socket", "folder", "/dev/zero"])
def test_what_is_no_regular_file_is_never_opened(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    with socket.socket(socket.AF_UNIX) as listener:
        if name == "fifo":
            os.mkfifo(path)
        elif name == "socket":
            listener.bind(str(path))
        elif name == "folder":
            path.mkdir()
        for reading in (lambda: look(str(path), NEEDLES), lambda: read(str(path))):
            with pytest.raises(Unread, match=r"a FIFO|a socket|a directory|a device"):
                reading()


def test_what_is_gone_or_forbidden_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(Unread, match="no such file"):
        look(str(tmp_path / "gone"), NEEDLES)
    path = put(tmp_path, b"x")

    def forbidden(*_: object) -> int:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(os, "open", forbidden)
    with pytest.raises(Unread, match=r"^permission denied$"):
        look(path, NEEDLES)


def test_what_is_no_utf_8_is_read_as_latin_1_and_told() -> None:
    result = decoded(b"x = 'caf\xe9'  # data_type")
    assert result.text == "x = 'café'  # data_type"
    assert result.problem == "not valid UTF-8 from byte 8 on, read as Latin-1"


@pytest.mark.parametrize(
    "first",
    [b"# -*- coding: cp1252 -*-\n", b"#!/usr/bin/python\n# vim: set fileencoding=cp1252 :\n"],
)
def test_a_python_file_says_how_it_is_encoded(first: bytes) -> None:
    result = decoded(first + b"x = '\x80'", PYTHON)
    assert result.text.endswith("x = '€'")
    assert result.problem == ""


@pytest.mark.parametrize("name", [b"nonsense", b"rot13", b"zlib", b"utf-8", b"ascii", b"undefined"])
def test_a_python_file_may_say_so_wrongly(name: bytes) -> None:
    result = decoded(b"# coding: " + name + b"\nx = '\xe9'", PYTHON)
    assert result.text.endswith("x = 'é'")
    assert result.problem


def test_a_declaration_after_code_is_none() -> None:
    assert decoded("x = 1\n# coding: cp1252\ny = 'é'".encode(), PYTHON).text.endswith("'é'")


def test_broken_utf_16_is_read_as_far_as_it_goes() -> None:
    result = decoded(codecs.BOM_UTF16_LE + "data_type".encode("utf-16-le") + b"x")
    assert result.text.startswith("data_type")
    assert "not valid utf-16" in result.problem


@pytest.mark.parametrize(
    ("name", "head", "language"),
    [
        ("a.py", "", "python"),
        ("A.SQL", "", "sql"),
        ("x/a.mjs", "", "javascript"),
        ("a.tsx", "", "typescript"),
        (".bashrc", "", "shell"),
        ("query.sql.j2", "", "sql"),
        ("compose.yaml.example", "", "yaml"),
        ("run", "#!/bin/sh\n", "shell"),
        ("run", "#!/usr/bin/env -S FOO=1 python3.11 -u\n", "python"),
        ("run", "#! /usr/bin/env node\n", "javascript"),
        ("run.py", "#!/bin/sh\n", "python"),
        ("run", "#!/usr/bin/perl\n", "text"),
        ("run", "#!\n", "text"),
        ("Makefile", "all:\n", "text"),
        ("a.txt", "", "text"),
        ("py", "", "text"),
    ],
)
def test_the_language_goes_by_the_name_and_else_by_the_first_line(
    name: str, head: str, language: str
) -> None:
    assert language_of(name, head).name == language


def test_a_file_that_is_too_large_is_only_looked_at(tmp_path: Path) -> None:
    line = b"x = 1\n"
    filler = line * (MAX_PARSED // len(line) + 1)
    seen = look(put(tmp_path, filler + b"data_type\n"), NEEDLES)
    assert seen.column
    assert not seen.table
    assert seen.lines == filler.count(b"\n") + 1
    assert seen.data == b""
    assert seen.because == "more than 512 kB: searched for words only"


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "latin-1"])
def test_a_word_across_two_blocks_is_found(tmp_path: Path, encoding: str) -> None:
    mark = 2 if encoding == "utf-16" else 0
    width = 2 if encoding == "utf-16" else 1
    for place in (MAX_PARSED, 5 << 20):
        before = (place - mark) // width - 4
        text = "é" * (2 if encoding != "utf-8" else 1)
        text = text + "x" * (before - 2) + " data_type"
        path = put(tmp_path, (text + " " * (6 << 20)).encode(encoding))
        assert look(path, NEEDLES).column
        assert "".join(blocks_of(path)).find("data_type") == text.find("data_type")


def test_a_file_with_a_long_line_is_not_parsed(tmp_path: Path) -> None:
    short = b"x" * (MAX_LINE // 2 - 1) + b"\n"
    assert look(put(tmp_path, short * 3), NEEDLES).because == ""
    seen = look(put(tmp_path, short + b"x" * (MAX_LINE + 1)), NEEDLES)
    assert seen.because == "a line of more than 256 kB: searched for words only"


def test_a_name_with_other_letters_is_looked_for_by_its_ascii_part(tmp_path: Path) -> None:
    needles = Needles.of(Subject("größe_cm", (TableName("", "möbel"),)))
    assert look(put(tmp_path, "GRÖẞE_CM größe_cm".encode("latin-1", "replace")), needles).column
    everything = Needles.of(Subject("größe", (TableName("", "表"),)))
    assert look(put(tmp_path, b""), everything).table


def test_the_fallback_is_plain_text() -> None:
    assert language_of("x.unknown", "") is PLAIN
