"""The audit of a folder: what is read, by what, and what becomes of a file that can't be."""

from __future__ import annotations

import codecs
import logging
import os
import time
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest

from memory_maintenance.audit import scan
from memory_maintenance.audit.candidate import Candidate, Confidence, Context, Kind
from memory_maintenance.audit.languages import Language
from memory_maintenance.audit.languages.unreadable import Unreadable
from memory_maintenance.audit.scan import Report, audit, scanned
from memory_maintenance.audit.source import Source
from memory_maintenance.audit.subject import Subject, TableName
from memory_maintenance.audit.words import words_in
from memory_maintenance.errors import UsageError
from tests.support.corpus import SUBJECT

MARK = "memory-maintenance: ignore"


def put(top: Path, name: str, content: str | bytes) -> Path:
    path = top / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def told(report: Report) -> list[tuple[str, int, int, str, str]]:
    return [(f.file, f.line, f.column, f.confidence, f.kind) for f in report.findings]


# --- a folder --------------------------------------------------------------------------------------


def test_each_file_is_read_as_what_it_is(tmp_path: Path) -> None:
    put(tmp_path, "b/q.sql", "SELECT id, f.data_type\nFROM entity_facts f;\n")
    put(tmp_path, "a.json", '{"table": "entity_facts", "columns": ["data_type"]}\n')
    put(tmp_path, "c.txt", "nothing\n")
    report = audit([str(tmp_path)], SUBJECT)
    assert told(report) == [
        ("a.json", 1, 40, "likely", "read"),
        ("b/q.sql", 1, 14, "certain", "read"),
    ]
    assert (report.files, report.lines, report.skipped) == (3, 4, [])
    assert report.findings[1].text == "SELECT id, f.data_type"


def test_what_another_table_has_is_unrelated(tmp_path: Path) -> None:
    put(tmp_path, "a.sql", "SELECT data_type FROM information_schema.columns;\n")
    report = audit([str(tmp_path)], SUBJECT)
    assert report.findings == []
    assert [(f.line, f.confidence, f.suggestion) for f in report.unrelated] == [
        (1, "unrelated", "")
    ]
    assert report.unrelated[0].because


def test_whole_rows_are_noted_in_files_without_the_name(tmp_path: Path) -> None:
    put(tmp_path, "a.sql", "SELECT * FROM entity_facts;\n")
    report = audit([str(tmp_path)], SUBJECT)
    assert report.findings == []
    assert [(f.file, f.line, f.text) for f in report.whole_rows] == [
        ("a.sql", 1, "SELECT * FROM entity_facts;")
    ]
    assert report.whole_rows[0].suggestion == (
        "name the columns: data_type will be missing from the row"
    )


def test_a_view_of_one_file_is_known_in_the_others(tmp_path: Path) -> None:
    put(tmp_path, "z.sql", "CREATE VIEW facts_seen AS SELECT id, data_type FROM entity_facts;\n")
    put(tmp_path, "y.sql", "CREATE VIEW seen_again AS SELECT * FROM facts_seen;\n")
    put(tmp_path, "a.sql", "SELECT data_type FROM facts_seen;\n")
    put(tmp_path, "b.sql", "SELECT data_type FROM seen_again;\n")
    put(tmp_path, "c.sql", "SELECT data_type FROM sensors_seen;\n")
    report = audit([str(tmp_path)], SUBJECT)
    assert {f.file for f in report.findings} == {"a.sql", "b.sql", "z.sql"}
    assert [f.file for f in report.unrelated] == ["c.sql"]


def test_the_context_of_a_file_goes_by_its_place_below_the_path(tmp_path: Path) -> None:
    for name in ("a.sql", "tests/a.sql", "migrations/a.sql", "docs/a.sql"):
        put(tmp_path, name, "SELECT data_type FROM entity_facts;\n")
    assert [(f.file, f.context) for f in audit([str(tmp_path)], SUBJECT).findings] == [
        ("a.sql", "runtime"),
        ("docs/a.sql", "prose"),
        ("migrations/a.sql", "migration"),
        ("tests/a.sql", "test"),
    ]


def test_another_column_and_other_tables_can_be_looked_for(tmp_path: Path) -> None:
    put(tmp_path, "a.sql", "SELECT colour, data_type FROM cars;\nSELECT colour FROM flags;\n")
    report = audit([str(tmp_path)], Subject("colour", (TableName("", "cars"),)))
    assert told(report) == [("a.sql", 1, 8, "certain", "read")]
    assert [f.line for f in report.unrelated] == [2]


def test_a_file_that_is_left_out_is_not_told_at_all(tmp_path: Path) -> None:
    path = put(tmp_path, "baseline.json", '{"column": "data_type"}')
    report = audit([str(tmp_path)], SUBJECT, leave_out=[str(path)])
    assert (report.files, report.findings, report.skipped) == (0, [], [])


def test_a_path_that_is_not_there_is_wrong_usage(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no such file or directory"):
        audit([str(tmp_path / "x")], SUBJECT)


# --- what can't be read ------------------------------------------------------------------------------


def test_what_can_not_be_read_is_skipped_with_the_reason(tmp_path: Path) -> None:
    put(tmp_path, "binary.py", b"\x00\x01data_type")
    put(tmp_path, "latin.txt", b"caf\xe9 data_type")
    put(tmp_path, "x.py/y.sql", "SELECT data_type FROM entity_facts;")
    os.mkfifo(tmp_path / "fifo.py")
    report = audit([str(tmp_path)], SUBJECT)
    assert {s.file: s.because for s in report.skipped} == {
        "binary.py": "binary",
        "fifo.py": "a FIFO",
        "latin.txt": "not valid UTF-8 from byte 3 on, read as Latin-1",
    }
    assert [f.file for f in report.findings] == ["latin.txt", "x.py/y.sql"]


def test_a_file_without_permission_is_skipped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    secret = put(tmp_path, "secret.sql", "SELECT data_type FROM entity_facts")
    opened = os.open

    def guarded(path: str, flags: int, mode: int = 0o777) -> int:
        if path == str(secret):
            raise PermissionError(13, "Permission denied", path)
        return opened(path, flags, mode)

    monkeypatch.setattr(os, "open", guarded)
    report = audit([str(tmp_path)], SUBJECT)
    assert [(s.file, s.because) for s in report.skipped] == [("secret.sql", "permission denied")]


def test_a_file_that_vanishes_in_between_is_skipped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = put(tmp_path, "a.sql", "SELECT data_type FROM entity_facts;")

    def vanished(*args: object) -> frozenset[str]:
        path.unlink()
        return frozenset()

    monkeypatch.setattr(scan, "derived_from", vanished)
    report = audit([str(tmp_path)], SUBJECT)
    assert report.findings == []
    assert [(s.file, s.because) for s in report.skipped] == [("a.sql", "no such file or directory")]


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-32"])
def test_marked_files_are_read_whatever_their_encoding(tmp_path: Path, encoding: str) -> None:
    put(tmp_path, "a.sql", "SELECT 'é',\r\n data_type FROM entity_facts;".encode(encoding))
    assert told(audit([str(tmp_path)], SUBJECT)) == [("a.sql", 2, 2, "certain", "read")]


def test_names_that_are_no_text_are_told(tmp_path: Path) -> None:
    put(tmp_path, os.fsdecode(b"\xe9.sql"), "SELECT data_type FROM entity_facts;")
    assert [f.file for f in audit([str(tmp_path)], SUBJECT).findings] == ["\udce9.sql"]


def scanner(monkeypatch: pytest.MonkeyPatch, yields: Iterable[Candidate | Exception]) -> None:
    """Makes every language's scanner say this."""

    def scan_(_source: Source, _subject: Subject) -> Iterator[Candidate]:
        for said in yields:
            if isinstance(said, Exception):
                raise said
            yield said

    monkeypatch.setattr(Language, "scanner", lambda _self: scan_)


TEXT = "entity_facts data_type data_type\n"


def test_what_a_scanner_says_nothing_of_is_the_bare_word(monkeypatch: pytest.MonkeyPatch) -> None:
    scanner(monkeypatch, [Candidate(13, Confidence.CERTAIN, Kind.WRITE)])
    assert told(scanned("a.x", TEXT, SUBJECT)) == [
        ("a.x", 1, 14, "certain", "write"),
        ("a.x", 1, 24, "possible", "read"),
    ]


def test_a_near_place_is_likely_where_the_file_names_the_table(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    scanner(monkeypatch, [Candidate(13, Confidence.POSSIBLE, near=True)])
    assert scanned("a.x", TEXT, SUBJECT).findings[0].confidence == "likely"
    assert scanned("a.x", "x" + TEXT, SUBJECT).findings[0].confidence == "possible"


def test_the_surest_of_two_sayings_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    scanner(
        monkeypatch,
        [
            Candidate(13, Confidence.POSSIBLE),
            Candidate(13, Confidence.CERTAIN, context=Context.PROSE, suggestion="do"),
            Candidate(13, Confidence.UNRELATED),
        ],
    )
    first = scanned("tests/a.x", TEXT, SUBJECT).findings[0]
    assert (first.confidence, first.context, first.suggestion) == ("certain", "prose", "do")


def test_an_unreadable_file_is_skipped_and_searched_for_words(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    certain = Candidate(13, Confidence.CERTAIN)
    scanner(monkeypatch, [certain, Unreadable("not valid Python: line 1")])
    report = scanned("a.x", TEXT, SUBJECT)
    assert [s.because for s in report.skipped] == ["not valid Python: line 1"]
    assert [f.confidence for f in report.findings] == ["certain", "likely"]


def test_a_file_that_was_read_in_part_is_skipped_and_its_words_there_are_near(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    text = "entity_facts data_type data_type data_type data_type data_type\n"
    scanner(
        monkeypatch,
        [
            Candidate(13, Confidence.POSSIBLE),
            Candidate(23, Confidence.POSSIBLE),
            Candidate(33, Confidence.POSSIBLE, context=Context.PROSE),
            Candidate(53, Confidence.UNRELATED, because="of sensors"),
            Unreadable("not Python at line 1: read around it", [(20, 62)]),
        ],
    )
    report = scanned("a.x", text, SUBJECT)
    assert [s.because for s in report.skipped] == ["not Python at line 1: read around it"]
    assert [(f.column, f.confidence) for f in report.findings] == [
        (14, "possible"),
        (24, "likely"),
        (34, "possible"),
        (44, "likely"),
    ]
    assert [f.column for f in report.unrelated] == [54]


def test_where_nothing_could_be_read_a_word_is_possible_without_the_table(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    scanner(monkeypatch, [Unreadable("not Python")])
    assert [f.confidence for f in scanned("a.x", "data_type", SUBJECT).findings] == ["possible"]


def test_a_path_that_can_not_be_read_is_wrong_usage(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    secret = put(tmp_path, "secret.sql", "SELECT data_type FROM entity_facts")
    opened = os.open

    def guarded(path: str, flags: int, mode: int = 0o777) -> int:
        if path == str(secret):
            raise PermissionError(13, "Permission denied", path)
        return opened(path, flags, mode)

    monkeypatch.setattr(os, "open", guarded)
    for paths in ([str(secret)], [str(tmp_path), str(secret)]):
        with pytest.raises(UsageError, match=r"secret\.sql: permission denied"):
            audit(paths, SUBJECT)


def test_a_path_without_text_in_it_is_skipped(tmp_path: Path) -> None:
    path = put(tmp_path, "x.bin", b"\0data_type")
    assert [s.because for s in audit([str(path)], SUBJECT).skipped] == ["binary"]


@pytest.mark.parametrize("error", [ValueError("a\nb"), RecursionError("deep"), MemoryError()])
def test_a_scanner_that_fails_ends_nothing(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, error: Exception
) -> None:
    scanner(monkeypatch, [error])
    with caplog.at_level(logging.DEBUG):
        report = scanned("a.x", TEXT, SUBJECT)
    assert [f.confidence for f in report.findings] == ["likely", "likely"]
    assert report.skipped[0].because.startswith(f"internal: {type(error).__name__}: ")
    assert "\n" not in report.skipped[0].because
    assert [r.levelname for r in caplog.records] == ["WARNING", "DEBUG"]
    assert caplog.records[1].exc_info


def test_a_place_outside_of_the_file_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    scanner(monkeypatch, [Candidate(-1, Confidence.CERTAIN), Candidate(999, Confidence.CERTAIN)])
    assert [f.confidence for f in scanned("a.x", TEXT, SUBJECT).findings] == ["possible"] * 2


# --- large ones ----------------------------------------------------------------------------------------


def test_a_file_of_100_mb_is_counted_and_searched_within_seconds(tmp_path: Path) -> None:
    row = b'{"table": "entity_facts", "data_type": "mood", "text": "' + b"x" * 941 + b'"}\n'
    assert len(row) == 1000
    with (tmp_path / "dump.json").open("wb") as file:
        for _ in range(100):
            file.write(row * 1000)
    began = time.monotonic()
    report = audit([str(tmp_path)], SUBJECT)
    assert time.monotonic() - began < 30
    assert report.lines == 100_000
    assert len(report.findings) == 10_000
    assert {s.because for s in report.skipped} == {
        "more than 512 kB: searched for words only",
        "90000 more places in it are not listed",
    }
    last = report.findings[-1]
    assert (last.line, last.column, last.confidence) == (10_000, 28, "likely")
    assert len(last.text) <= 200
    assert "data_type" in last.text


def test_a_line_of_5_mb_is_searched_within_seconds(tmp_path: Path) -> None:
    put(tmp_path, "bundle.js", "x=1;" * 1_250_000 + "\nentity_facts.data_type;" + " " * 10)
    put(tmp_path, "short.js", "x=1;" * 500_000 + "y.data_type;" + "x=1;" * 10_000)
    began = time.monotonic()
    report = audit([str(tmp_path)], SUBJECT)
    assert time.monotonic() - began < 30
    assert told(report) == [
        ("bundle.js", 2, 14, "likely", "read"),
        ("short.js", 1, 2_000_003, "possible", "read"),
    ]
    assert report.findings[1].text.count("data_type") == 1
    assert len(report.findings[1].text) <= 200


def test_a_large_file_without_the_name_is_only_counted(tmp_path: Path) -> None:
    put(tmp_path, "a.json", "[1]\n" * 2_000_000)
    report = audit([str(tmp_path)], SUBJECT)
    assert (report.files, report.lines, report.findings, report.skipped) == (1, 2_000_000, [], [])


@pytest.mark.parametrize("size", [1, 2, 7, 50, 333, 10_000])
def test_words_are_found_wherever_the_blocks_part(size: int) -> None:
    text = "é data_type\n" + "x" * 450 + " data_type, Data_Type\n\nxdata_type " + "y" * 400
    text += "\nentity_facts\n" + "z" * 500 + "data_type$ data_type"
    blocks = [text[start : start + size] for start in range(0, len(text), size)]
    words = words_in(blocks, SUBJECT, most=3)
    assert words.count == 4
    assert words.names_table
    assert [(w.line, w.column) for w in words.found] == [(1, 3), (2, 452), (2, 463)]
    assert all("data_type" in w.text.lower() and len(w.text) <= 200 for w in words.found)


def test_a_long_line_is_cut_around_the_place() -> None:
    text = "a" * 500 + " data_type " + "b" * 500
    shown = scanned("a.txt", text, SUBJECT).findings[0].text
    assert len(shown) == 200
    assert shown.startswith("aaa")
    assert shown.endswith("bbb")
    assert " data_type " in shown


# --- ignores ---------------------------------------------------------------------------------------------


def test_an_ignore_with_a_reason_lets_a_place_pass() -> None:
    text = f"-- {MARK} the last reader\nSELECT data_type\n, data_type FROM entity_facts;\n"
    report = scanned("a.sql", text, SUBJECT)
    assert [(f.line, reason) for f, reason in report.suppressed] == [(2, "the last reader")]
    assert [f.line for f in report.findings] == [3]
    assert report.notes == []


def test_an_ignore_without_a_reason_does_not_and_says_so() -> None:
    report = scanned("a.sql", f"SELECT data_type FROM entity_facts; -- {MARK}\n", SUBJECT)
    assert [f.confidence for f in report.findings] == ["certain"]
    assert report.findings[0].because.endswith("an ignore without a reason does not count")


def test_an_ignore_that_nothing_needs_is_told(tmp_path: Path) -> None:
    put(tmp_path, "a.sql", f"SELECT 1;\nSELECT 2; -- {MARK} once\n")
    put(tmp_path, "b.sql", f"SELECT data_type FROM sensors; -- {MARK} once\n")
    put(tmp_path, "c.md", f"Write `-- {MARK} why`.\n")
    assert audit([str(tmp_path)], SUBJECT).notes == [
        "a.sql:2: there is nothing to ignore any more",
        "b.sql:1: there is nothing to ignore any more",
    ]


def test_whole_rows_can_be_ignored_too() -> None:
    report = scanned("a.sql", f"SELECT * FROM entity_facts; -- {MARK} an export\n", SUBJECT)
    assert report.whole_rows == []
    assert len(report.suppressed) == 1


def test_no_encoding_is_given_away(tmp_path: Path) -> None:
    put(tmp_path, "a.txt", codecs.BOM_UTF16_LE + "data_type".encode("utf-16-le") + b"\0")
    report = audit([str(tmp_path)], SUBJECT)
    assert len(report.findings) == 1
    assert "not valid utf-16" in report.skipped[0].because
