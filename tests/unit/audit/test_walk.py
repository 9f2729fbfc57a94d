"""Which files below a PATH are read."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from memory_maintenance.audit.findings import Skipped
from memory_maintenance.audit.walk import Walk
from memory_maintenance.errors import UsageError


def made(top: Path, *files: str) -> None:
    """Makes files; a name that ends with a slash is a folder."""
    for name in files:
        path = top / name
        if name.endswith("/"):
            path.mkdir(parents=True)
            continue
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("x\n")


def ignoring(top: Path, text: str, name: str = ".gitignore") -> None:
    path = top / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def shown(*paths: Path | str) -> list[str]:
    return [item.shown for item in Walk(list(map(str, paths))) if not isinstance(item, Skipped)]


def skipped(*paths: Path | str) -> dict[str, str]:
    return {i.file: i.because for i in Walk(list(map(str, paths))) if isinstance(i, Skipped)}


def test_files_come_by_name_folder_by_folder(tmp_path: Path) -> None:
    made(tmp_path, "b.py", "a/z.py", "a/b/c.py", "c.py", "a.py")
    assert shown(tmp_path) == ["a/b/c.py", "a/z.py", "a.py", "b.py", "c.py"]


def test_a_file_given_is_shown_by_its_name(tmp_path: Path) -> None:
    made(tmp_path, "a/b.py")
    assert shown(tmp_path / "a/b.py") == ["b.py"]


def test_several_paths_show_which_one_a_file_is_below(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made(tmp_path, "one/x.py", "two/x.py", "three.py")
    monkeypatch.chdir(tmp_path)
    assert shown("one", "./two/", "three.py") == ["one/x.py", "two/x.py", "three.py"]


def test_a_file_below_two_paths_is_read_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made(tmp_path, "a/b/x.py")
    monkeypatch.chdir(tmp_path)
    assert shown("a", "a/b", "a/b/x.py", "a") == ["a/b/x.py"]


def test_a_path_that_is_not_there_is_wrong_usage(tmp_path: Path) -> None:
    for missing in (tmp_path / "x", tmp_path / "nul\0", tmp_path / ("n" * 300)):
        with pytest.raises(UsageError):
            Walk([str(missing)])


def test_a_folder_named_like_a_file_is_walked(tmp_path: Path) -> None:
    made(tmp_path, "x.py/y.py")
    assert shown(tmp_path) == ["x.py/y.py"]


# --- patterns of git -----------------------------------------------------------------------------


def test_patterns_leave_files_and_folders_out(tmp_path: Path) -> None:
    made(tmp_path, "a.py", "a.log", "made/x.py", "sub/made/x.py", "sub/b.log", "only/top.py")
    ignoring(tmp_path, "*.log\nmade/\n/top.py\n")
    assert shown(tmp_path) == [".gitignore", "a.py", "only/top.py"]
    walk = Walk([str(tmp_path)])
    list(walk)
    assert walk.ignored == 4


def test_a_later_pattern_and_a_deeper_file_take_back_what_one_left_out(tmp_path: Path) -> None:
    made(tmp_path, "a.log", "keep.log", "sub/b.log", "sub/c.log", "sub/deep/b.log")
    ignoring(tmp_path, "*.log\n!keep.log\n")
    ignoring(tmp_path / "sub", "!b.log\n/.gitignore\n")
    assert shown(tmp_path) == [".gitignore", "keep.log", "sub/b.log", "sub/deep/b.log"]


def test_nothing_comes_back_from_a_folder_that_is_left_out(tmp_path: Path) -> None:
    made(tmp_path, "sub/keep.py", "b.py")
    ignoring(tmp_path, "sub/\n!sub/keep.py\n.gitignore\r\n")
    assert shown(tmp_path) == ["b.py"]


def test_patterns_from_above_the_path_hold_up_to_the_top_of_the_repository(tmp_path: Path) -> None:
    made(tmp_path, "repo/.git/", "repo/pkg/src/a.py", "repo/pkg/src/b.py", "repo/pkg/src/c.py")
    ignoring(tmp_path, "c.py\n")
    ignoring(tmp_path / "repo", "/pkg/src/a.py\n")
    ignoring(tmp_path / "repo", "b.py\n", ".git/info/exclude")
    assert shown(tmp_path / "repo/pkg/src") == ["c.py"]


def test_a_path_given_is_read_even_if_patterns_leave_it_out(tmp_path: Path) -> None:
    made(tmp_path, ".git/", "made/x.py", "made/y.log")
    ignoring(tmp_path, "made/\n")
    assert shown(tmp_path / "made") == ["x.py", "y.log"]
    assert shown(tmp_path / "made/x.py") == ["x.py"]


def test_patterns_that_mean_nothing_leave_nothing_out(tmp_path: Path) -> None:
    made(tmp_path, "a.py")
    (tmp_path / ".gitignore").write_bytes(b"!\n\n#a.py\n\\\n[\n\xff\xfe\n***/**\n/.gitignore\n")
    assert "a.py" in shown(tmp_path)


# --- what others wrote ---------------------------------------------------------------------------


def test_other_peoples_code_is_skipped_and_told(tmp_path: Path) -> None:
    made(tmp_path, "node_modules/m/x.js", "pkg/vendor/x.go", "env/pyvenv.cfg", "env/x.py", "a.py")
    assert shown(tmp_path) == ["a.py"]
    assert set(skipped(tmp_path)) == {"node_modules/", "pkg/vendor/", "env/"}


def test_it_is_read_where_it_is_the_path(tmp_path: Path) -> None:
    made(tmp_path, "vendor/x.go", "env/pyvenv.cfg")
    assert shown(tmp_path / "vendor") == ["x.go"]
    assert shown(tmp_path / "env") == ["pyvenv.cfg"]


def test_what_versioning_and_caches_keep_is_passed_over(tmp_path: Path) -> None:
    made(tmp_path, ".git/config", "sub/.git", "pkg/__pycache__/a.pyc", ".mypy_cache/x.json", "a.py")
    assert shown(tmp_path) == ["a.py"]
    assert skipped(tmp_path) == {}


# --- links and odd names -------------------------------------------------------------------------


def test_links_are_not_followed_and_what_they_lead_to_is_read_once(tmp_path: Path) -> None:
    made(tmp_path, "out/secret.py", "top/real.py", "top/sub/x.py")
    top = tmp_path / "top"
    (top / "again.py").symlink_to("real.py")
    (top / "sub/loop").symlink_to("..")
    (top / "self").symlink_to("self")
    (top / "nowhere").symlink_to("missing")
    (top / "outside.py").symlink_to(tmp_path / "out/secret.py")
    (top / "elsewhere").symlink_to(tmp_path / "out")
    assert shown(top) == ["real.py", "sub/x.py"]
    assert skipped(top) == {
        "elsewhere": "a link that leads out of PATH",
        "nowhere": "a link that leads nowhere",
        "outside.py": "a link that leads out of PATH",
        "self": "a link that leads nowhere",
    }


def test_a_path_given_may_be_a_link(tmp_path: Path) -> None:
    made(tmp_path, "real/x.py")
    (tmp_path / "link").symlink_to("real")
    assert shown(tmp_path / "link") == ["x.py"]


def test_names_that_are_not_text_survive(tmp_path: Path) -> None:
    made(tmp_path, os.fsdecode(b"caf\xe9.py"), "a\nb.py")
    assert shown(tmp_path) == ["a\nb.py", "caf\udce9.py"]


def test_no_tree_is_too_deep(tmp_path: Path) -> None:
    deep = str(tmp_path)
    for _ in range(400):
        deep += "/d"
        Path(deep).mkdir()
    Path(f"{deep}/x.py").write_text("")
    usual = sys.getrecursionlimit()
    sys.setrecursionlimit(300)
    try:
        found = shown(tmp_path)
    finally:
        sys.setrecursionlimit(usual)
    assert found == ["d/" * 400 + "x.py"]


def test_a_folder_that_went_away_meanwhile_has_nothing_in_it(tmp_path: Path) -> None:
    made(tmp_path, "a/x.py", "b/x.py")
    walk = iter(Walk([str(tmp_path)]))
    first = next(walk)
    assert not isinstance(first, Skipped)
    (tmp_path / "b/x.py").unlink()
    (tmp_path / "b").rmdir()
    assert list(walk) == []


# --- what the context of a file goes by ----------------------------------------------------------


def test_the_place_of_a_file_has_the_path_as_it_was_typed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made(tmp_path, "pkg/migrations/0001.sql")
    monkeypatch.chdir(tmp_path / "pkg")

    def places(path: str) -> list[str]:
        return [item.place for item in Walk([path]) if not isinstance(item, Skipped)]

    assert places(".") == ["migrations/0001.sql"]
    assert places("migrations") == ["migrations/0001.sql"]
    assert places("../pkg/migrations") == ["pkg/migrations/0001.sql"]
    assert places("migrations/0001.sql") == ["migrations/0001.sql"]
    # Of an absolute path only its end: what else is above it says nothing of the project.
    assert places(str(tmp_path / "pkg/migrations")) == ["migrations/0001.sql"]
    assert places(str(tmp_path / "pkg/migrations/0001.sql")) == ["migrations/0001.sql"]
