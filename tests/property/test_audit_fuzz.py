"""Whatever a file holds, the audit ends, names no place that isn't there and leaves no occurrence out."""

from __future__ import annotations

import tempfile
from pathlib import Path

from hypothesis import example, given
from hypothesis import strategies as st

from memory_maintenance.audit.files import decoded, language_of
from memory_maintenance.audit.languages import LANGUAGES
from memory_maintenance.audit.scan import Report, audit
from tests.support.corpus import FOLDER, SUBJECT

SUFFIXES = [suffix for language in LANGUAGES for suffix in language.suffixes]
SUFFIXES += [".txt", ".toml", ".ini", ""]
SAMPLES = sorted(path for path in FOLDER.glob("*/**/*") if path.is_file())
PIECES = [
    *(b"data_type", b"entity_facts", b"DATA_TYPE", b"data_type$", b"chk_data_type", b"\0", b"\xff"),
    *(b"'", b'"', b"`", b'"""', b"\\", b"$$", b"${", b"}", b"{{", b"(", b")", b"[", b"\n", b"\r", b"\r\n"),
    *(b"--", b"/*", b"*/", b"#", b"//", b"<!--", b"```sql\n", b"<<EOF\n", b"EOF\n", b"%s", b"{}", b":"),
    *(b"SELECT ", b" FROM ", b" WHERE ", b"\xc3\xa9", b"\xe2\x80\xa8", b"\xf0\x9f\x98\x80", b"\t", b"\x0c"),
    *(b"\xef\xbb\xbf", b"\xff\xfe", b"# coding: utf-7\n", b"memory-maintenance: ignore", b"*"),
]  # fmt: skip


@st.composite
def mutated(draw: st.DrawFn) -> tuple[str, bytes]:
    """A file of the corpus, cut, with pieces taken out, put in and doubled; at times under another name."""
    path = draw(st.sampled_from(SAMPLES))
    data = path.read_bytes()
    for _ in range(draw(st.integers(0, 6))):
        start = draw(st.integers(0, len(data)))
        end = draw(st.integers(start, min(len(data), start + 200)))
        piece = draw(st.sampled_from([b"", data[start:end] * 2, *PIECES]))
        data = data[:start] + piece + data[end:]
    if draw(st.booleans()):
        data = data[: draw(st.integers(0, len(data)))]
    suffix = draw(st.sampled_from([path.suffix] * 5 + SUFFIXES))
    return f"a{suffix}", data


@st.composite
def assembled(draw: st.DrawFn) -> tuple[str, bytes]:
    """Pieces that mean something in some language, in any order."""
    pieces = draw(st.lists(st.sampled_from(PIECES) | st.binary(max_size=8), max_size=40))
    return f"a{draw(st.sampled_from(SUFFIXES))}", b"".join(pieces)


def check(name: str, data: bytes) -> Report:
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, name).write_bytes(data)
        report = audit([folder], SUBJECT)
    assert not [s for s in report.skipped if s.because.startswith("internal")], report.skipped
    binary = any(s.because == "binary" for s in report.skipped)
    assert report.files == (not binary)
    if not binary:
        text = decoded(data, language_of(name, "")).text
        check_places(report, text)
    return report


def check_places(report: Report, text: str) -> None:
    lines = text.split("\n")
    suppressed = [finding for finding, _ in report.suppressed]
    found = [*report.findings, *report.unrelated, *suppressed]
    for finding in [*found, *report.whole_rows]:
        line = lines[finding.line - 1]
        assert 1 <= finding.column <= len(line) + 1
        if finding.length:
            word = line[finding.column - 1 :][: finding.length]
            known = (SUBJECT.column_word, SUBJECT.belongings)
            assert any(pattern.fullmatch(word) for pattern in known)
    told = {(finding.line, finding.column) for finding in found}
    for number, line in enumerate(lines, 1):
        for match in SUBJECT.column_word.finditer(line):
            assert (number, match.start() + 1) in told


@given(mutated())
def test_a_file_that_was_damaged_is_told_place_by_place(file: tuple[str, bytes]) -> None:
    check(*file)


@given(assembled())
@example(("a.py", b"# coding: undefined\ndata_type"))
@example(("a.py", b"(" * 3000 + b"data_type"))
@example(("a.sql", b"(" * 30000 + b"data_type"))
@example(("a.json", b"[" * 30000 + b'"data_type"'))
@example(("a.yaml", b"[" * 3000 + b'"data_type"'))
@example(("a.yaml", b"a: &a [data_type, *a]"))
@example(("a.js", b"(" * 30000 + b"data_type"))
@example(("a.sh", b"$(" * 10000 + b"data_type"))
@example(("a.md", b"> " * 10000 + b"data_type"))
@example(("a.toml", b"[" + b" " * 100000 + b"\ndata_type\n[" + b"[ " * 50000))
def test_a_heap_of_pieces_is_told_place_by_place(file: tuple[str, bytes]) -> None:
    check(*file)


@given(st.sampled_from(SUFFIXES), st.binary(max_size=300))
def test_bytes_of_any_kind_end_nothing(suffix: str, data: bytes) -> None:
    check(f"a{suffix}", data)
    check(f"a{suffix}", b"data_type entity_facts " + data)


@given(mutated(), st.sampled_from(["utf-16", "utf-32", "utf-8-sig"]))
def test_no_encoding_ends_anything(file: tuple[str, bytes], encoding: str) -> None:
    name, data = file
    check(name, data.decode("latin-1").encode(encoding))
