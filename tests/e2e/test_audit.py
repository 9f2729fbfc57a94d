"""The audit from end to end, as an operator or a CI job runs it."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any, NoReturn

import jsonschema
import pytest

from memory_maintenance.audit import scan
from tests.support.command import Call, Command
from tests.support.sarif import SCHEMA
from tests.support.server import TestDatabase

AUDIT = "audit-data-type-refs"
QUERY = "SELECT data_type FROM entity_facts;\n"


def document(done: subprocess.CompletedProcess[str], code: int) -> dict[str, Any]:
    assert done.returncode == code, done.stderr
    loaded: dict[str, Any] = json.loads(done.stdout)
    return loaded


@pytest.fixture
def code(tmp_path: Path) -> Path:
    """A small project: the folder that the command is called in is above it."""
    top = tmp_path / "project"
    for name, text in {
        "store.sql": QUERY,
        "agents/memory.json": '{"table": "entity_facts", "fields": ["data_type"]}\n',
        "migrations/0001.sql": QUERY,
        "docs/notes.md": "The column data_type of entity_facts goes.\n",
        "catalog.sql": "SELECT data_type FROM information_schema.columns;\n",
        "export.sql": "COPY (SELECT * FROM entity_facts) TO STDOUT;\n",
        "made/copy.sql": QUERY,
        ".gitignore": "made/\n",
    }.items():
        path = top / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return top


def test_the_document_names_each_place_and_what_to_write_instead(cli: Command, code: Path) -> None:
    found = document(cli(AUDIT, str(code), "--format", "json"), 1)
    assert found["command"] == AUDIT
    keys = ("file", "line", "column", "confidence", "context")
    assert [tuple(f[key] for key in keys) for f in found["findings"]] == [
        ("agents/memory.json", 1, 39, "likely", "runtime"),
        ("docs/notes.md", 1, 12, "possible", "prose"),
        ("migrations/0001.sql", 1, 8, "certain", "migration"),
        ("store.sql", 1, 8, "certain", "runtime"),
    ]
    assert [f["file"] for f in found["unrelated"]] == ["catalog.sql"]
    assert [f["file"] for f in found["whole_rows"]] == ["export.sql"]
    assert all(f["suggestion"] for f in found["findings"])
    assert (found["files"], found["lines"], found["ignored"]) == (7, 7, 1)
    assert found["skipped"] == found["database"] == []


def test_the_current_directory_is_read_where_no_path_is_given(cli: Command, code: Path) -> None:
    found = document(cli(AUDIT, "--format", "json"), 1)
    assert "project/store.sql" in [f["file"] for f in found["findings"]]


def test_history_and_prose_alone_do_not_fail(cli: Command, code: Path) -> None:
    done = cli(AUDIT, str(code / "migrations"), str(code / "docs"), "--fail-on", "possible")
    assert (done.returncode, done.stderr) == (0, "")
    assert "migrations/0001.sql:1:8: certain read, migration" in done.stdout


@pytest.mark.parametrize(("fail_on", "code_"), [("certain", 0), ("likely", 1), ("possible", 1)])
def test_the_exit_code_goes_by_how_sure_it_must_be(
    cli: Command, code: Path, fail_on: str, code_: int
) -> None:
    done = cli(AUDIT, str(code / "agents"), "--fail-on", fail_on)
    assert done.returncode == code_


def test_a_baseline_lets_pass_what_was_there_and_nothing_new(
    cli: Command, code: Path, tmp_path: Path
) -> None:
    known = code / "known.json"
    told = document(cli(AUDIT, str(code), "--write-baseline", str(known), "--format", "json"), 0)
    assert told["baseline_written"] == str(known)

    (code / "store.sql").write_text("-- moved\n" + QUERY)
    again = document(cli(AUDIT, str(code), "--baseline", str(known), "--format", "json"), 0)
    assert (again["baselined"], again["findings"], again["stale"]) == (4, [], [])

    (code / "store.sql").write_text(QUERY + "UPDATE entity_facts SET data_type = 'identity';\n")
    (code / "agents/memory.json").write_text("{}\n")
    more = document(cli(AUDIT, str(code), "--baseline", str(known), "--format", "json"), 1)
    assert [(f["line"], f["kind"], f["suggestion"]) for f in more["findings"]] == [
        (2, "write", "durability = 'permanent', category = 'identity'")
    ]
    assert [s["what"] for s in more["stale"]] == ["agents/memory.json"]

    both = ("--baseline", str(known), "--write-baseline", str(known))
    assert cli(AUDIT, str(code), *both).returncode == 0
    last = document(cli(AUDIT, str(code), "--baseline", str(known), "--format", "json"), 0)
    assert (last["findings"], last["stale"]) == ([], [])


def test_an_ignore_with_a_reason_lets_a_place_pass(cli: Command, tmp_path: Path) -> None:
    path = tmp_path / "a.sql"
    path.write_text("SELECT data_type FROM entity_facts; -- memory-maintenance: ignore until May\n")
    assert cli(AUDIT, str(path)).returncode == 0
    path.write_text("SELECT data_type FROM entity_facts; -- memory-maintenance: ignore\n")
    assert cli(AUDIT, str(path)).returncode == 1


def test_sarif_is_valid_and_github_gets_its_commands(cli: Command, code: Path) -> None:
    told = document(cli(AUDIT, "project", "--format", "sarif"), 1)
    jsonschema.Draft202012Validator(SCHEMA).validate(told)
    uris = [
        result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]
        for result in told["runs"][0]["results"]
    ]
    assert "project/store.sql" in uris
    done = cli(AUDIT, "project", "--format", "github")
    assert done.returncode == 1
    assert (
        "::error file=project/store.sql,line=1,col=8,title=certain read of data_type::"
        in done.stdout
    )


def test_quiet_says_what_counts_and_otherwise_nothing(cli: Command, code: Path) -> None:
    assert cli(AUDIT, "-q", str(code / "docs")).stdout == ""
    done = cli(AUDIT, "-q", str(code))
    assert done.returncode == 1
    assert "store.sql:1:8: certain read" in done.stdout
    assert "docs/notes.md" not in done.stdout


def test_tables_and_columns_can_be_named(cli: Command, tmp_path: Path) -> None:
    (tmp_path / "a.sql").write_text(
        'SELECT "Colour" FROM cars;\nSELECT "Colour" FROM paint.pots;\nSELECT "Colour" FROM other.pots;\n'
    )
    named = ("--column", '"Colour"', "--table", "cars", "--table", "paint.pots")
    found = document(cli(AUDIT, str(tmp_path / "a.sql"), *named, "--format", "json"), 1)
    assert found["tables"] == ["cars", "paint.pots"]
    assert [(f["line"], f["confidence"]) for f in found["findings"]] == [
        (1, "certain"),
        (2, "certain"),
    ]
    assert [f["line"] for f in found["unrelated"]] == [3]
    assert found["findings"][0]["suggestion"] == "stop reading Colour"


def test_the_configured_table_and_map_are_used(cli: Command, tmp_path: Path) -> None:
    (tmp_path / "memory.yaml").write_text(
        "database: {table: notes}\ndata_type: {whim: [ephemeral, mood]}\n"
    )
    (tmp_path / "a.sql").write_text(
        "SELECT 1 FROM notes WHERE data_type = 'whim';\nSELECT data_type FROM notes_archive;\n"
        "SELECT data_type FROM entity_facts;\n"
    )
    configured = ("--config", str(tmp_path / "memory.yaml"), "--format", "json")
    found = document(cli(AUDIT, str(tmp_path / "a.sql"), *configured), 1)
    assert [f["line"] for f in found["findings"]] == [1, 2]
    assert found["findings"][0]["suggestion"].startswith(
        "durability = 'ephemeral' AND category = 'mood'"
    )


@pytest.mark.parametrize(
    ("args", "complaint"),
    [
        (["missing"], "missing: no such file or directory"),
        ([""], "a PATH is empty"),
        ([".", ""], "a PATH is empty"),
        (["fifo"], "fifo: a FIFO"),
        (["/dev/null"], "/dev/null: a device"),
        (["--write-baseline", "/dev/full"], "can't write the baseline /dev/full: it is a device"),
        (["--write-baseline", "fifo"], "can't write the baseline fifo: it is a FIFO"),
        (["--baseline", "/dev/zero"], "can't read the baseline /dev/zero: a device"),
        (["--baseline", "fifo"], "can't read the baseline fifo: a FIFO"),
        (["--baseline", "missing.json"], "can't read the baseline missing.json"),
        (["--baseline", "broken.json"], "can't use the baseline broken.json"),
        (["--write-baseline", "nowhere/x.json"], "can't write the baseline nowhere/x.json"),
        (["--column", "a.b"], "--column a.b: write a single name"),
        (["--table", "a", "--table", "b.c.d"], "--table b.c.d: write table or schema.table"),
        (["--table", "b.c.d"], "--table"),
        (["--fail-on", "never"], "never"),
        (["--format", "xml"], "'xml' is none of text, json, sarif, github"),
    ],
)
def test_wrong_usage_is_exit_code_2(
    cli: Command, tmp_path: Path, args: list[str], complaint: str
) -> None:
    (tmp_path / "broken.json").write_text("{")
    os.mkfifo(tmp_path / "fifo")
    done = cli(AUDIT, *args)
    assert (done.returncode, done.stdout) == (2, "")
    assert complaint in done.stderr


def test_what_can_not_be_read_ends_nothing(cli: Command, code: Path) -> None:
    os.mkfifo(code / "fifo.sql")
    (code / "x.py").mkdir()
    (code / "x.py/y.sql").write_text(QUERY)
    (code / "half.py").write_text("def f(:\n  data_type\n")
    (code / "half.sql").write_text("SELECT data_type FROM entity_facts WHERE (\n")
    (code / "nul.py").write_bytes(b"x = 1\0 data_type")
    (code / "late_nul.py").write_bytes(b"x = 1\n" * 2000 + b"\0 data_type")
    (code / "odd.sql").write_bytes(b"-- caf\xe9\n" + QUERY.encode())
    (code / os.fsdecode(b"\xe9.sql")).write_text(QUERY)
    found = document(cli(AUDIT, str(code), "--format", "json"), 1)
    skipped = {s["file"] for s in found["skipped"]}
    assert {"fifo.sql", "half.py", "nul.py", "late_nul.py", "odd.sql"} <= skipped
    told = {f["file"] for f in found["findings"]}
    assert {"x.py/y.sql", "half.py", "half.sql", "late_nul.py", "odd.sql", "\udce9.sql"} <= told


def test_a_baseline_goes_to_the_file_that_a_link_leads_to(
    cli: Command, code: Path, tmp_path: Path
) -> None:
    (tmp_path / "real.json").write_text("{}")
    (code / "known.json").symlink_to(tmp_path / "real.json")
    known = str(code / "known.json")
    assert cli(AUDIT, str(code), "--write-baseline", known).returncode == 0
    assert (code / "known.json").is_symlink()
    found = document(cli(AUDIT, str(code), "--baseline", known, "--format", "json"), 0)
    assert (found["baselined"], found["files"], found["skipped"]) == (4, 7, [])


def test_a_baseline_that_is_the_path_itself_is_told_and_not_read(
    cli: Command, code: Path, tmp_path: Path
) -> None:
    known = str(code / "known.json")
    assert cli(AUDIT, str(code), "--write-baseline", known).returncode == 0
    found = document(cli(AUDIT, known, "--baseline", known, "--format", "json"), 0)
    assert found["skipped"] == [{"file": "known.json", "because": "the baseline itself"}]


def test_an_interrupted_audit_has_nothing_to_complete(
    call: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*_: object, **__: object) -> NoReturn:
        raise KeyboardInterrupt

    monkeypatch.setattr(scan, "audit", interrupted)
    done = call(AUDIT)
    assert done.returncode == 130
    assert done.stderr == "error: interrupted by SIGINT\n  try: run it again\n"


# --- the database --------------------------------------------------------------------------------


def test_the_database_alone_is_looked_at_where_no_path_is_given(
    cli: Command, database: TestDatabase, code: Path
) -> None:
    with database.connect() as connection:
        connection.execute("CREATE VIEW kinds AS SELECT id, data_type FROM entity_facts")
    dsn = ("--dsn", database.dsn, "--format", "json")
    found = document(cli(AUDIT, "--database", *dsn), 1)
    assert (found["files"], found["paths"], found["findings"]) == (0, [], [])
    views = {o["object"]: o for o in found["database"] if o["kind"] == "view"}
    assert views["view public.kinds"]["confidence"] == "certain"
    assert "data_type" in views["view public.kinds"]["definition"]

    both = document(cli(AUDIT, str(code), "--database", *dsn), 1)
    assert both["files"] == 7
    assert both["database"] == found["database"]


def test_a_baseline_holds_objects_of_the_database_too(
    cli: Command, database: TestDatabase, tmp_path: Path
) -> None:
    known = str(tmp_path / "known.json")
    dsn = ("--dsn", database.dsn, "--format", "json")
    assert cli(AUDIT, "--database", "--write-baseline", known, *dsn).returncode == 0
    assert document(cli(AUDIT, "--database", "--baseline", known, *dsn), 0)["database"] == []
    with database.connect() as connection:
        connection.execute("CREATE VIEW kinds AS SELECT id, data_type FROM entity_facts")
    found = document(cli(AUDIT, "--database", "--baseline", known, *dsn), 1)
    assert [o["object"] for o in found["database"]] == ["view public.kinds"]
    # What was not looked at is not gone.
    files = document(cli(AUDIT, str(tmp_path), "--baseline", known, "--format", "json"), 0)
    assert files["stale"] == []


def test_what_goes_with_the_column_alone_does_not_fail(
    cli: Command, database: TestDatabase
) -> None:
    with database.connect() as connection:
        connection.execute("CREATE TABLE plain (id int, data_type text DEFAULT 'mood')")
        connection.execute("ALTER TABLE plain ADD CONSTRAINT c CHECK (data_type <> '')")
        connection.execute("CREATE INDEX i ON plain (data_type)")
        connection.execute("COMMENT ON COLUMN plain.data_type IS 'x'")
    dsn = ("--dsn", database.dsn, "--table", "plain", "--format", "json")
    found = document(cli(AUDIT, "--database", "--fail-on", "possible", *dsn), 0)
    assert [(o["object"], o["owned"]) for o in found["database"]] == [
        ("comment data_type on public.plain", True),
        ("constraint c on public.plain", True),
        ("default data_type on public.plain", True),
        ("index public.i", True),
    ]


def test_a_table_that_others_inherit_from_is_looked_at(
    cli: Command, database: TestDatabase
) -> None:
    with database.connect() as connection:
        connection.execute("CREATE TABLE base (data_type text)")
        connection.execute("CREATE TABLE derived () INHERITS (base)")
        connection.execute("CREATE VIEW of_derived AS SELECT data_type FROM derived")
    dsn = ("--dsn", database.dsn, "--table", "base", "--format", "json")
    found = document(cli(AUDIT, "--database", *dsn), 1)
    assert "view public.of_derived" in [o["object"] for o in found["database"]]


def test_a_column_or_a_further_table_that_is_not_there_is_told(
    cli: Command, database: TestDatabase
) -> None:
    dsn = ("--dsn", database.dsn, "--format", "json")
    found = document(cli(AUDIT, "--database", "--column", "nosuch", *dsn), 0)
    assert found["notes"] == [
        "public.entity_facts has no column nosuch in the database",
        "public.entity_facts_archive has no column nosuch in the database",
    ]
    tables = ("--table", "entity_facts", "--table", "nowhere")
    found = document(cli(AUDIT, "--database", *tables, *dsn), 1)
    assert found["notes"] == ["there is no table nowhere in the database"]


def test_the_summary_of_the_database_alone_does_not_speak_of_files(
    cli: Command, database: TestDatabase
) -> None:
    done = cli(AUDIT, "--database", "--dsn", database.dsn)
    assert "of the database, " in done.stdout
    assert "0 files" not in done.stdout
    assert "0 references" not in done.stdout


def test_an_object_that_is_gone_is_told_by_its_name(
    cli: Command, database: TestDatabase, tmp_path: Path
) -> None:
    known = str(tmp_path / "known.json")
    with database.connect() as connection:
        connection.execute("CREATE VIEW kinds AS SELECT id, data_type FROM entity_facts")
    dsn = ("--dsn", database.dsn)
    assert cli(AUDIT, "--database", "--write-baseline", known, *dsn).returncode == 0
    with database.connect() as connection:
        connection.execute("DROP VIEW kinds")
    done = cli(AUDIT, "--database", "--baseline", known, *dsn)
    assert "hint: the baseline has what is gone, or has changed: view public.kinds\n" in done.stdout


def test_a_table_that_is_not_there_is_wrong_usage(cli: Command, database: TestDatabase) -> None:
    done = cli(AUDIT, "--database", "--dsn", database.dsn, "--table", "nowhere")
    assert done.returncode == 2
    assert "no table public.nowhere" in done.stderr


def test_a_server_that_does_not_answer_is_unavailable(cli: Command, tmp_path: Path) -> None:
    done = cli(AUDIT, "--database", "--dsn", f"host={tmp_path} dbname=x")
    assert (done.returncode, done.stdout) == (69, "")
