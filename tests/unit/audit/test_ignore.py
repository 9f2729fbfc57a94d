"""Comments that let a place pass, in whatever syntax a file has for comments."""

from __future__ import annotations

import pytest

from memory_maintenance.audit.ignore import ignores_in

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
