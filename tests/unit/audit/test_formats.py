"""An audit's result for people and for other programs."""

from __future__ import annotations

import json
import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from memory_maintenance.audit.findings import DatabaseEntry, Finding, Skipped
from memory_maintenance.audit.result import AuditResult, Stale
from memory_maintenance.model.result import Outcome
from memory_maintenance.render.formats import Page, renderer
from memory_maintenance.render.text import render_text
from tests.support.sarif import SCHEMA

CERTAIN = Finding(
    "a/b.py", 3, 9, "certain", "read", "runtime", 'x = row["data_type"]', "read it", "why", 9
)
LIKELY = replace(CERTAIN, line=5, confidence="likely", kind="write", context="test", because="")
PROSE = replace(CERTAIN, file="README.md", confidence="certain", context="prose")
POSSIBLE = replace(CERTAIN, line=9, confidence="possible", length=0)
STAR = replace(CERTAIN, line=11, text="SELECT * FROM entity_facts", length=0)
OTHER = replace(CERTAIN, line=12, confidence="unrelated", suggestion="", because="of sensors")
VIEW = DatabaseEntry("view public.v", "view", "certain", "SELECT 1;\nSELECT 2", "shows it", "do")


def result(**fields: Any) -> AuditResult:
    given: dict[str, Any] = {
        "command": "audit-data-type-refs",
        "table": "entity_facts",
        "column": "data_type",
        "tables": ("entity_facts", "entity_facts_archive"),
        "paths": (".",),
        "fail_on": "likely",
        **fields,
    }
    return AuditResult(**given)


FULL = result(
    findings=(CERTAIN, LIKELY, PROSE, POSSIBLE),
    database=(VIEW,),
    whole_rows=(STAR,),
    unrelated=(OTHER,),
    skipped=(Skipped("x.bin", "binary"),),
    notes=("a note, with: signs",),
    suppressed=1,
    suppressed_findings=((LIKELY, "for a week"),),
    baselined=2,
    known_findings=(CERTAIN,),
    known_objects=(VIEW,),
    stale=(Stale("gone.py", "read", "x"),),
    files=2,
    lines=1234,
    ignored=3,
)


# --- the outcome -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("fail_on", "confidence", "fails"),
    [
        ("certain", "certain", True),
        ("certain", "likely", False),
        ("likely", "likely", True),
        ("likely", "possible", False),
        ("possible", "possible", True),
    ],
)
def test_what_is_at_least_as_sure_as_asked_for_fails(
    fail_on: str, confidence: str, fails: bool
) -> None:
    expected = Outcome.FINDINGS if fails else Outcome.DONE
    found = result(fail_on=fail_on, findings=(replace(CERTAIN, confidence=confidence),))
    assert found.outcome is expected
    object_ = result(fail_on=fail_on, database=(replace(VIEW, confidence=confidence),))
    assert object_.outcome is expected


@pytest.mark.parametrize(
    ("context", "fails"),
    [("runtime", True), ("test", True), ("migration", False), ("prose", False)],
)
def test_history_and_prose_never_fail(context: str, fails: bool) -> None:
    found = result(fail_on="possible", findings=(replace(CERTAIN, context=context),))
    assert (found.outcome is Outcome.FINDINGS) is fails


def test_whole_rows_unrelated_and_known_ones_never_fail() -> None:
    passed = result(
        fail_on="possible",
        whole_rows=(STAR,),
        unrelated=(OTHER,),
        known_findings=(CERTAIN,),
        known_objects=(VIEW,),
        suppressed_findings=((CERTAIN, "why"),),
    )
    assert passed.outcome is Outcome.DONE


def test_what_went_into_a_baseline_just_now_does_not_fail() -> None:
    assert replace(FULL, baseline_written="known.json").outcome is Outcome.DONE


# --- JSON --------------------------------------------------------------------------------------------


def test_the_document_has_the_keys_that_programs_rely_on() -> None:
    document = json.loads(renderer("json")(FULL, Page()))
    keys = ["file", "line", "column", "confidence", "kind", "context", "text", "suggestion"]
    for name in ("findings", "whole_rows", "unrelated"):
        assert list(document[name][0]) == [*keys, "because"]
    assert document["database"] == [
        {
            "object": "view public.v",
            "kind": "view",
            "confidence": "certain",
            "definition": "SELECT 1;\nSELECT 2",
            "because": "shows it",
            "suggestion": "do",
            "owned": False,
        }
    ]
    assert document["skipped"] == [{"file": "x.bin", "because": "binary"}]
    assert (document["files"], document["lines"]) == (2, 1234)
    assert not {"everything", "known_findings", "suppressed_findings"} & set(document)


# --- text ----------------------------------------------------------------------------------------------


def test_people_see_what_counts_and_the_rest_below_it() -> None:
    text = render_text(FULL)
    lines = text.splitlines()
    counting, other = lines.index("Counting references"), lines.index("Other references")
    assert lines[counting + 1 : counting + 4] == [
        "a/b.py:3:9: certain read (why)",
        '    x = row["data_type"]',
        "    > read it",
    ]
    assert "a/b.py:5:9: likely write, test" in lines[counting:other]
    assert "README.md:3:9: certain read, prose (why)" in lines[other:]
    assert "view public.v: certain (shows it)" in lines
    assert "x.bin: binary" in lines
    assert "problem: 3 references stand against dropping data_type (likely or surer)." in lines
    assert "of sensors" not in text


def test_all_shows_what_is_unrelated() -> None:
    assert "a/b.py:12:9: unrelated read (of sensors)" in render_text(replace(FULL, everything=True))


def test_many_skipped_files_are_counted_by_their_reasons() -> None:
    many = tuple(Skipped(f"{n}.png", "binary") for n in range(1500))
    text = render_text(result(skipped=many))
    assert " 1,500  binary" in text
    assert "7.png" not in text
    assert "7.png: binary" in render_text(result(skipped=many, everything=True))


def test_quiet_says_nothing_unless_something_counts() -> None:
    assert render_text(result(findings=(PROSE,), notes=("x",)), quiet=True) == ""
    quiet = render_text(FULL, quiet=True)
    assert "a/b.py:3:9: certain read" in quiet
    assert "README.md" not in quiet
    assert "3 references stand" in quiet


def test_nothing_found_is_said_as_sure_as_it_was_looked_for() -> None:
    assert "Nothing certainly or likely uses data_type of entity_facts." in render_text(result())


def test_odd_names_and_lines_are_shown_and_not_obeyed() -> None:
    odd = replace(CERTAIN, file="caf\udce9\x1b[2J.py", text="\x1b]0;x\x07data_type")
    text = render_text(result(findings=(odd,)))
    assert "\x1b" not in text
    assert "caf\\udce9\\x1b[2J.py:3:9" in text


def test_names_with_line_breaks_are_told_on_one_line() -> None:
    odd = "x\ny\tz"
    text = render_text(
        result(
            findings=(replace(CERTAIN, file=odd, because=odd), replace(POSSIBLE, file=odd)),
            database=(replace(VIEW, object=f"view {odd}", because=odd),),
            unrelated=(replace(OTHER, file=odd),),
            skipped=(Skipped(odd, odd),),
            notes=(odd,),
            stale=(Stale(odd, "view", ""), Stale(odd, "read", odd)),
            everything=True,
        ),
        width=200,
    )
    assert "y\\tz:3:9: certain" in text
    assert "view x\\ny\\tz: certain (x\\ny\\tz)" in text
    assert not any(line.startswith("y") for line in text.splitlines())


def test_what_goes_with_the_column_is_listed_and_marked_and_does_not_count() -> None:
    owned = replace(VIEW, object="index public.i", kind="index", owned=True)
    found = result(database=(owned,), in_database=True, fail_on="possible")
    assert found.outcome is Outcome.DONE
    text = render_text(found, width=200)
    assert "index public.i: certain, goes with the column (shows it)" in text
    assert "1 object of the database, 1 of them going with the column" in text
    assert renderer("github")(found, Page()).startswith("::notice title=")
    (told,) = sarif(found)["results"]
    assert (told["kind"], told["level"]) == ("informational", "none")


def test_the_summary_says_what_was_looked_at() -> None:
    alone = render_text(result(paths=(), database=(VIEW,), in_database=True))
    assert "1 object of the database." in alone
    assert "file" not in alone
    assert "0 references" not in alone
    both = render_text(result(files=2, lines=1, database=(VIEW,), in_database=True), width=200)
    assert "0 references, 0 unrelated, 1 object of the database; 2 files with 1 line read." in both


def test_an_object_that_is_gone_from_the_database_is_told_by_its_name() -> None:
    text = render_text(result(stale=(Stale("view public.v", "view", ""),)))
    assert "the baseline has what is gone, or has changed: view public.v\n" in text


# --- SARIF ---------------------------------------------------------------------------------------------


def sarif(shown: AuditResult) -> dict[str, Any]:
    document: dict[str, Any] = json.loads(renderer("sarif")(shown, Page()))
    jsonschema.Draft202012Validator(SCHEMA).validate(document)
    run: dict[str, Any] = document["runs"][0]
    return run


def test_sarif_has_a_level_by_confidence_and_a_rule_by_kind() -> None:
    run = sarif(FULL)
    rules = [rule["id"] for rule in run["tool"]["driver"]["rules"]]
    assert all(rules[r["ruleIndex"]] == r["ruleId"] for r in run["results"])
    assert [(r["ruleId"], r["level"], "suppressions" in r) for r in run["results"]] == [
        ("read", "error", False),
        ("write", "warning", False),
        ("read", "error", False),
        ("read", "note", False),
        ("read", "error", True),
        ("write", "warning", True),
        ("whole-row", "none", False),
        ("database-object", "error", False),
        ("database-object", "error", True),
    ]


def test_sarif_points_at_the_name_in_characters() -> None:
    run = sarif(result(findings=(CERTAIN, POSSIBLE)))
    assert run["columnKind"] == "unicodeCodePoints"
    first, second = (r["locations"][0]["physicalLocation"]["region"] for r in run["results"])
    assert first == {"startLine": 3, "startColumn": 9, "endColumn": 18}
    assert second == {"startLine": 9, "startColumn": 9}


def test_sarif_says_why_something_was_let_pass() -> None:
    passed = [r["suppressions"] for r in sarif(FULL)["results"] if "suppressions" in r]
    assert passed == [
        [{"kind": "external"}],
        [{"kind": "inSource", "justification": "for a week"}],
        [{"kind": "external"}],
    ]


def test_a_fingerprint_stays_when_a_line_moves_and_differs_for_alike_ones() -> None:
    def prints(*findings: Finding) -> list[dict[str, str]]:
        return [r["partialFingerprints"] for r in sarif(result(findings=findings))["results"]]

    moved = replace(CERTAIN, line=80)
    assert prints(CERTAIN) == prints(moved)
    first, second = prints(CERTAIN, moved)
    assert first != second


def test_sarif_tells_what_was_skipped() -> None:
    (invocation,) = sarif(FULL)["invocations"]
    (told,) = invocation["toolExecutionNotifications"]
    assert told["message"]["text"].endswith("binary")
    assert told["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == "x.bin"


@pytest.mark.parametrize(
    ("paths", "file", "uri"),
    [
        ((".",), "a/b c.py", "a/b%20c.py"),
        (("src/",), "b.py", "src/b.py"),
        (("src", "lib"), "lib/b.py", "lib/b.py"),
        (("/srv/code",), "b.py", "file:///srv/code/b.py"),
        ((".",), os.fsdecode(b"caf\xe9.py"), "caf%E9.py"),
    ],
)
def test_files_are_named_from_where_the_command_was_called(
    paths: tuple[str, ...], file: str, uri: str
) -> None:
    run = sarif(result(paths=paths, findings=(replace(CERTAIN, file=file),)))
    place = run["results"][0]["locations"][0]["physicalLocation"]
    assert place["artifactLocation"]["uri"] == uri


def test_a_path_that_is_a_file_is_named_once(tmp_path: Path) -> None:
    path = tmp_path / "b.py"
    path.write_text("")
    told = renderer("github")(
        result(paths=(str(path),), findings=(replace(CERTAIN, file="b.py"),)), Page()
    )
    assert f"file={tmp_path}/b.py," in told


# --- GitHub --------------------------------------------------------------------------------------------


def test_what_counts_is_an_error_and_comes_first() -> None:
    lines = renderer("github")(FULL, Page()).splitlines()
    assert [line.split(" ", 1)[0] for line in lines] == ["::error"] * 3 + ["::notice"] * 4
    assert lines[0] == (
        "::error file=a/b.py,line=3,col=9,title=certain read of data_type"
        '::read it%0Awhy%0Ax = row["data_type"]'
    )
    assert lines[2] == (
        "::error title=certain%3A view public.v::do%0Ashows it%0ASELECT 1;%0ASELECT 2"
    )


def test_signs_that_mean_something_to_a_workflow_are_escaped() -> None:
    odd = replace(
        CERTAIN, file="a,b:c%\r\n.py", text="100%,\r\n::error::x", suggestion="", because=""
    )
    told = renderer("github")(result(findings=(odd,)), Page())
    assert told == (
        "::error file=a%2Cb%3Ac%25\\r\\n.py,line=3,col=9,title=certain read of data_type"
        "::100%25,\\r\\n::error::x\n"
    )


@pytest.mark.parametrize(
    "sign", ["\x1b", "\u2028", "\u2029", "\u202e", "\x85", "\x9b", "\u200b", "\udce9"]
)
@pytest.mark.parametrize("form", ["github", "text"])
def test_what_would_steer_a_reader_is_shown_as_an_escape_wherever_it_stands(
    sign: str, form: str
) -> None:
    odd = f"a{sign}b"
    told = renderer(form)(
        result(
            findings=(replace(CERTAIN, file=odd, text=odd, because=odd, suggestion=odd),),
            database=(DatabaseEntry(odd, "view", "certain", odd, odd, odd),),
            skipped=(Skipped(odd, odd),),
            notes=(odd,),
            stale=(Stale(odd, "view", ""),),
            in_database=True,
        ),
        Page(),
    )
    assert sign not in told
    escape = sign.encode("unicode_escape").decode()
    assert f"a{escape}b" in told


def test_a_definition_keeps_its_lines_and_nothing_else_does() -> None:
    odd = DatabaseEntry("view a\nb", "view", "certain", "SELECT 1\n\tFROM\x1b x", "c\nd", "e\nf")
    told = renderer("github")(result(database=(odd,)), Page())
    assert told == (
        "::error title=certain%3A view a\\nb::e\\nf%0Ac\\nd%0ASELECT 1%0A\tFROM\\x1b x\n"
    )


def test_nothing_is_an_error_once_it_went_into_a_baseline() -> None:
    assert "::error" not in renderer("github")(replace(FULL, baseline_written="x"), Page())
