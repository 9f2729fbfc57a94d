"""Which files below a PATH are read."""

from __future__ import annotations

import os
import shutil
import subprocess
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


def test_an_empty_path_is_wrong_usage(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="a PATH is empty"):
        Walk([str(tmp_path), ""])


def test_a_folder_given_that_can_not_be_read_is_wrong_usage_and_one_below_is_skipped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made(tmp_path, "closed/x.py", "a.py")
    closed = str(tmp_path / "closed")
    scandir = os.scandir

    def guarded(path: str) -> object:
        if path == closed:
            raise PermissionError(13, "Permission denied", path)
        return scandir(path)

    monkeypatch.setattr(os, "scandir", guarded)
    assert skipped(tmp_path) == {"closed/": "permission denied"}
    for paths in ([closed], [str(tmp_path), closed]):
        with pytest.raises(UsageError, match="closed: permission denied"):
            list(Walk(paths))


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
    (tmp_path / ".gitignore").write_bytes(b"!\n\n#a.py\n\\\n[\n\xff\xfe\n/.gitignore\n")
    assert "a.py" in shown(tmp_path)


TREE = (
    "a.py", "b.log", "keep.log", "gen/a.sql", "gen/keep.sql", "gen/deep/keep.sql", "gen/deep/x.sql",
    "pkg/gen/keep.sql", "pkg/b.log", "pkg/src/a.py", "pkg/src/keep/b.log", "keep/a.py", "keep/b.log",
    "a/a/a", "a/b/c/b", "x y/z ", "#odd", "!odd", "brack[et].py", "back\\slash", "Upper/A.py",
    "deep/1/2/3/4.py",
    "foo/bar/baz.py", "foo/foo", "build/lib/keep.py", "build/keep.py", "é.py", "tab\tname",
)  # fmt: skip


@pytest.mark.parametrize(
    "patterns",
    [
        "gen/**\n!gen/keep.sql",
        "gen/*\n!gen/keep.sql",
        "gen/\n!gen/keep.sql",
        "gen\n!gen/keep.sql",
        "/gen/**\n!/gen/deep/\n!/gen/deep/keep.sql",
        "gen/**/\n",
        "**/gen/**\n!**/keep.sql",
        "**/keep.sql",
        "**",
        "**/",
        "**\n!a.py",
        "*\n!*/\n!*.py",
        "/*\n!/pkg\n/pkg/*\n!/pkg/src",
        "*.log\n!keep",
        "*.log\n!keep/",
        "*.log\n!keep.log",
        "keep\n!keep/a.py",
        "!a.py\na.py",
        "a",
        "/a",
        "a/",
        "a/a",
        "a/**/b",
        "a/**",
        "a/*/c",
        "a/*\n!a/b",
        "**/b",
        "x y/",
        "x\\ y",
        "z ",
        "z\\ ",
        "\\#odd",
        "#odd",
        "\\!odd",
        "brack[[]et[]].py",
        "brack\\[et\\].py",
        "back\\\\slash",
        "upper/",
        "[A-Z]pper",
        "[!a]*.py",
        "[^a]*.py",
        "?.py",
        "deep/**/4.py",
        "deep/*/3",
        "deep/**/3/\n!deep/1",
        "foo",
        "foo/",
        "/foo/foo",
        "foo/*\n!foo/bar\nfoo/bar/*\n!foo/bar/baz.py",
        "build/\n!build/lib/keep.py",
        "build/**\n!build/lib/\n!build/lib/keep.py",
        "build/**\n!build/**/\n!build/**/keep.py",
        "é.py",
        "tab\tname",
        "*.p[xy]",
        "pkg/**/*.log",
        "pkg/src/\r",
        "a.py   \n",
        "***/b.log",
        "***/**",
        "fo**o",
        "foo/**bar",
        "/",
        "//a",
        "a//",
        "a//b",
        "[[:alpha:]].log",
        "[[:nothing:]].log",
        "[]a].py",
        "[!]b].py",
        "[a-].py",
        "[z-a].py",
        "[\\a].py",
        "pkg[/]b.log",
        "[",
        "a.py\\",
        "*e*p*l*",
        "**e**.**g",
        "\ufeffa.py",
        "foo/**/baz.py\n!foo/**/bar",
        "**/src/**\n!**/src/*/",
        "\\a.py",
        "*",
        "*\n!.gitignore",
        ".*",
        "!",
        "\\",
        "./a.py",
        "pkg/../a.py",
    ],
)
def test_what_git_lists_is_read_and_nothing_else(tmp_path: Path, patterns: str) -> None:
    git = shutil.which("git")
    if git is None:
        pytest.skip("git isn't installed")
    made(tmp_path, *TREE)
    ignoring(tmp_path, patterns + "\n")
    calm = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull, "PATH": os.defpath}

    def told(*arguments: str) -> bytes:
        done = subprocess.run(
            [git, "-C", str(tmp_path), *arguments],
            env=calm,
            check=True,
            stdout=subprocess.PIPE,
        )
        return done.stdout

    told("init", "-q")
    listed = told("ls-files", "-o", "-z", "--exclude-standard").split(b"\0")
    assert sorted(shown(tmp_path)) == sorted(os.fsdecode(name) for name in listed if name)


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


def test_what_links_lead_to_is_read_once_and_no_link_to_a_folder_is_followed(
    tmp_path: Path,
) -> None:
    made(tmp_path, "out/secret.py", "top/real.py", "top/sub/x.py")
    top = tmp_path / "top"
    (top / "again.py").symlink_to("real.py")
    (top / "sub/loop").symlink_to("..")
    (top / "self").symlink_to("self")
    (top / "nowhere").symlink_to("missing")
    (top / "outside.py").symlink_to(tmp_path / "out/secret.py")
    (top / "elsewhere").symlink_to(tmp_path / "out")
    (top / "sub/outside_again.py").symlink_to("../outside.py")
    assert shown(top) == ["real.py", "sub/x.py", "outside.py"]
    assert skipped(top) == {
        "elsewhere": "a link to a folder that isn't read: give that as PATH",
        "nowhere": "a link that leads nowhere",
        "self": "a link that leads nowhere",
    }


def test_a_link_stands_for_a_file_that_is_not_read_at_its_own_place(tmp_path: Path) -> None:
    made(tmp_path, "made/facts.sql", "vendor/v.sql", "a.sql")
    ignoring(tmp_path, "made/\n.gitignore\n")
    (tmp_path / "facts.sql").symlink_to("made/facts.sql")
    (tmp_path / "v.sql").symlink_to("vendor/v.sql")
    (tmp_path / "made_too").symlink_to("made")
    found = {i.shown: i for i in Walk([str(tmp_path)]) if not isinstance(i, Skipped)}
    assert sorted(found) == ["a.sql", "facts.sql", "v.sql"]
    assert (found["facts.sql"].place, found["facts.sql"].given) == (
        f"{tmp_path.name}/facts.sql",
        "",
    )
    assert set(skipped(tmp_path)) == {"vendor/", "made_too"}


def test_two_dots_after_a_link_lead_to_where_the_system_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made(tmp_path, "far/sub/x.py", "far/right.py", "wrong.py")
    (tmp_path / "link").symlink_to("far/sub")
    monkeypatch.chdir(tmp_path)
    assert shown("link/..") == ["right.py", "sub/x.py"]
    assert shown("link/../right.py", "far") == ["link/../right.py", "far/sub/x.py"]


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
