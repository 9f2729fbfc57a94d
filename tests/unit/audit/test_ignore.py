"""Comments that let a place pass, in whatever syntax a file has for comments."""

from __future__ import annotations

import pytest

from memory_maintenance.audit.files import language_of
from memory_maintenance.audit.ignore import ignores_in
from memory_maintenance.audit.remarks import remarks_in
from memory_maintenance.audit.source import Source

MARK = "memory-maintenance: ignore"


@pytest.mark.parametrize(
    "line",
    [
        f"x = 1  # {MARK} old readers",
        f"SELECT 1 -- {MARK}: old readers",
        f"f();  // {MARK} - old readers",
        f"f();  /* {MARK} old readers */",
        f"<p>x</p>  <!-- {MARK} old readers -->",
        f"{{{{ x }}}} {{# {MARK} old readers #}}",
        f'{{"a": 1, "//": "{MARK} old readers"}},',
    ],
)
def test_a_comment_speaks_of_its_own_line(line: str) -> None:
    found = ignores_in(f"\n{line}\n\n")
    assert sorted(found) == [2]
    assert found[2].reason.startswith("old readers")


@pytest.mark.parametrize(
    "line", [f"# {MARK} why", f"    -- {MARK} why", f"/* {MARK} why */", f"REM {MARK} why"]
)
def test_a_comment_alone_on_its_line_speaks_of_the_next_one_too(line: str) -> None:
    found = ignores_in(f"{line}\nx = 1\n")
    assert sorted(found) == [1, 2]
    assert found[1] is found[2]
    assert found[2].reason == "why"


def test_a_comment_on_the_line_goes_before_one_above_it() -> None:
    found = ignores_in(f"# {MARK} above\nx = 1  # {MARK} beside\n")
    assert found[2].reason == "beside"


@pytest.mark.parametrize("line", [f"# {MARK}", f"/* {MARK} */", f"<!-- {MARK}: -->"])
def test_a_comment_may_lack_its_reason(line: str) -> None:
    assert ignores_in(line)[1].reason == ""


@pytest.mark.parametrize(
    "line", ["# memory-maintenance: ignored why", "# maintenance: ignore why", "# ignore why"]
)
def test_what_only_looks_like_one_is_none(line: str) -> None:
    assert ignores_in(line) == {}


def test_a_line_of_any_length_is_read_in_no_time() -> None:
    line = f"# {MARK} " + " )" * 1_000_000 + " x"
    assert ignores_in(line)[1].reason.endswith("x")


# --- comments, and what only looks like one ------------------------------------------------------


def spoken_of(path: str, text: str) -> list[int]:
    """The lines that comments of a file speak of, by its language."""
    source = Source(path, text)
    return sorted(ignores_in(text, remarks_in(source, language_of(path, text))))


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("a.py", f'x = "{MARK} why"'),
        ("a.py", f'x = "# {MARK} why"'),
        ("a.py", f'"""\n{MARK} why\n"""'),
        ("a.py", f"def f(:\n  x = '{MARK} why'"),
        ("a.js", f"x = `// {MARK} why`"),
        ("a.ts", f"const x: string = '{MARK} why'"),
        ("a.tsx", f"const x = <p>{MARK} why</p>"),
        ("a.sh", f'echo "# {MARK} why"'),
        ("a.sql", f"SELECT '{MARK} why'"),
        ("a.sql", f"SELECT '# {MARK} why'"),
        ("a.sql", f"SELECT '{MARK} why"),
        ("a.yaml", f'x: "{MARK} why"'),
        ("a.json", f'["{MARK} why"]'),
        ("a.txt", f"see {MARK} why"),
    ],
)
def test_a_text_that_says_the_same_lets_nothing_pass(path: str, text: str) -> None:
    assert spoken_of(path, text + "\n") == []


@pytest.mark.parametrize(
    ("path", "text", "lines"),
    [
        ("a.py", f"é = 1  # noqa: X {MARK} why", [1]),
        ("a.py", f'x = """\n-- {MARK} why\nSELECT"""', [2, 3]),
        ("a.py", f"q = 'SELECT x /* {MARK} why */'", [1]),
        ("a.js", f"/*\n é {MARK} why\n*/ x", [2]),
        ("a.tsx", f"const x = <p>{{/* {MARK} why */}}</p>", [1]),
        ("a.ts", f"x = `SELECT y -- {MARK} why`", [1]),
        ("a.sh", f"psql -c 'x'  # {MARK} why", [1]),
        ("a.sh", f"python <<E\nx = 1 # {MARK} why\nE", [2]),
        ("a.sql", f"SELECT 'é' /* of this\n  {MARK} why */", [2, 3]),
        ("a.sql", f"DO $$ BEGIN\n  x; -- {MARK} why\nEND $$;", [2]),
        ("a.yaml", f"x: y  # {MARK} why", [1]),
        ("a.json5", f'["x"], // {MARK} why', [1]),
        ("a.ini", f"; {MARK} why", [1, 2]),
    ],
)  # fmt: skip
def test_a_comment_is_one_by_the_grammar_of_its_language(
    path: str, text: str, lines: list[int]
) -> None:
    assert spoken_of(path, text + "\n") == lines
