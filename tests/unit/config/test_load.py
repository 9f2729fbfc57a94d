"""Which file is read, how it overlays the defaults, and what is said about faults."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta
from pathlib import Path

import pytest

from memory_maintenance.config import load as load_module
from memory_maintenance.config.load import Loaded, Origin, load
from memory_maintenance.errors import ConfigError, ConfigProblem

STEPS = frozenset({"decay", "expire-obligations"})


@pytest.fixture(autouse=True)
def _no_system_file(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(load_module, "SYSTEM_FILE", tmp_path / "etc" / "memory-maintenance.yaml")


def write(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def loaded(tmp_path: Path, text: str, overrides: Mapping[str, str] | None = None) -> Loaded:
    path = write(tmp_path / "a.yaml", text)
    return load(path, environ={}, overrides=overrides or {}, steps=STEPS)


def problems(tmp_path: Path, text: str) -> tuple[ConfigProblem, ...]:
    with pytest.raises(ConfigError) as refusal:
        loaded(tmp_path, text)
    assert refusal.value.exit_code == 2
    return refusal.value.problems


def only(tmp_path: Path, text: str) -> ConfigProblem:
    (problem,) = problems(tmp_path, text)
    return problem


# Which file


def test_without_a_file_everything_is_built_in() -> None:
    defaults = load(environ={}, steps=STEPS)
    assert defaults.files == ()
    assert {origin.file for origin in defaults.origins.values()} == {"built-in"}


def test_the_first_file_found_is_the_only_one_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    option = write(tmp_path / "option.yaml", "timezone: Europe/Berlin")
    variable = write(tmp_path / "variable.yaml", "timezone: Europe/Paris")
    user = write(tmp_path / "memory-maintenance/memory-maintenance.yaml", "timezone: Asia/Tokyo")
    system = write(tmp_path / "etc/memory-maintenance.yaml", "timezone: Africa/Cairo")
    environ = {
        "MEMORY_MAINTENANCE_CONFIG": str(variable),
        "XDG_CONFIG_HOME": str(tmp_path),
    }
    assert load(option, environ=environ).files == (str(option),)
    assert load(environ=environ).files == (str(variable),)
    del environ["MEMORY_MAINTENANCE_CONFIG"]
    assert load(environ=environ).files == (str(user),)
    del environ["XDG_CONFIG_HOME"]
    assert load(environ=environ).files == (str(system),)
    system.unlink()
    assert load(environ=environ).settings.timezone == "UTC"


def test_an_empty_variable_names_no_file() -> None:
    environ = {"MEMORY_MAINTENANCE_CONFIG": "", "XDG_CONFIG_HOME": "relative"}
    assert load(environ=environ).files == ()


@pytest.mark.parametrize("source", ["--config", "MEMORY_MAINTENANCE_CONFIG"])
def test_a_file_named_expressly_must_be_there(tmp_path: Path, source: str) -> None:
    missing = tmp_path / "missing.yaml"
    path = missing if source == "--config" else None
    with pytest.raises(ConfigError, match=f"no such file: {missing} .from {source}.") as refusal:
        load(path, environ={"MEMORY_MAINTENANCE_CONFIG": str(missing)})
    assert refusal.value.remedy is not None


def test_a_directory_is_no_file(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="this is a directory"):
        load(tmp_path, environ={})


def test_a_file_below_a_file_cannot_be_read(tmp_path: Path) -> None:
    path = write(tmp_path / "a.yaml", "") / "b.yaml"
    with pytest.raises(ConfigError, match="can't read"):
        load(path, environ={})


def test_a_broken_link_in_a_usual_place_is_not_passed_over(tmp_path: Path) -> None:
    place = tmp_path / "memory-maintenance/memory-maintenance.yaml"
    place.parent.mkdir()
    place.symlink_to(tmp_path / "nowhere")
    with pytest.raises(ConfigError, match="no such file"):
        load(environ={"XDG_CONFIG_HOME": str(tmp_path)})


# Overlaying


def test_a_file_overlays_key_by_key_at_every_depth(tmp_path: Path) -> None:
    settings = loaded(
        tmp_path,
        """
        durability: {ephemeral: {shape: 2}}
        category: {obligation: {after_deadline: {grace: 1d}}, sport: {half_life: 5d}}
        """,
    ).settings
    assert settings.durability["ephemeral"].half_life == timedelta(hours=36)
    assert settings.durability["ephemeral"].shape == 2.0
    assert settings.durability["permanent"].half_life == timedelta(days=3650)
    late = settings.category["obligation"].after_deadline
    assert late is not None
    assert (late.half_life, late.grace) == (timedelta(hours=48), timedelta(days=1))
    assert settings.category["sport"].half_life == timedelta(days=5)
    assert settings.category["decision"].half_life is None


def test_lists_and_pairs_are_replaced_as_a_whole(tmp_path: Path) -> None:
    settings = loaded(
        tmp_path,
        """
        data_type: {trait: [long_term, trait], ~: [short_term, no]}
        importance: {access_boost: [{factor: 1}]}
        run: [expire-obligations, decay]
        """,
    ).settings
    assert settings.data_type["trait"] == ("long_term", "trait")
    assert settings.data_type[None] == ("short_term", "no")
    assert settings.data_type["identity"] == ("permanent", "identity")
    assert [tier.factor for tier in settings.importance.access_boost] == [1.0]
    assert settings.run == ("expire-obligations", "decay")


@pytest.mark.parametrize(
    "section",
    ["durability", "category", "database", "data_type", "archive", "backfill", "contract"],
)
def test_an_empty_section_is_its_defaults(tmp_path: Path, section: str) -> None:
    assert loaded(tmp_path, f"{section}:\n").settings == load(environ={}).settings


def test_any_word_may_name_a_category(tmp_path: Path) -> None:
    text = "category: {no: {half_life: 1d}, on: {half_life: 2d}, 'a.b': {half_life: 3d}}"
    result = loaded(tmp_path, text)
    assert {"no", "on", "a.b"} <= set(result.settings.category)
    assert result.origins['category."a.b".half_life'] == Origin(str(tmp_path / "a.yaml"), 1)


def test_every_value_knows_where_it_was_set(tmp_path: Path) -> None:
    path = write(tmp_path / "a.yaml", "timezone: CET\n\ndatabase:\n  table: t\n  schema: s\n")
    result = load(
        path,
        environ={"MEMORY_MAINTENANCE_SCHEMA": "from_environment"},
        overrides={"database.table": "from_option"},
    )
    assert result.settings.database.qualified_table == ("from_environment", "from_option")
    assert result.origins["timezone"] == Origin(str(path), 1)
    assert result.origins["database.schema"] == Origin("MEMORY_MAINTENANCE_SCHEMA", None)
    assert result.origins["database.table"] == Origin("--table", None)
    assert result.origins["run"].file == "built-in"


def test_an_option_is_text_where_text_belongs_and_a_number_where_a_number_does(
    tmp_path: Path,
) -> None:
    overrides = {"database.table": '"2024"', "archive.max_fraction": "0.5", "archive.min_age": "1d"}
    settings = loaded(tmp_path, "", overrides).settings
    assert settings.database.qualified_table == ("public", "2024")
    assert settings.archive.max_fraction == 0.5
    assert settings.archive.min_age == timedelta(days=1)


def test_a_fault_of_an_option_names_the_option(tmp_path: Path) -> None:
    with pytest.raises(ConfigError) as refusal:
        loaded(tmp_path, "timezone: Mars", {"database.table": "a.b.c", "archive.threshold": "x"})
    assert [(p.file.rpartition("/")[2], p.key) for p in refusal.value.problems] == [
        ("a.yaml", "timezone"),
        ("--table", "database.table"),
        ("--threshold", "archive.threshold"),
    ]


# The hash of the policy


def test_the_hash_is_that_of_the_policy_and_not_of_its_spelling(tmp_path: Path) -> None:
    text = "durability: {short_term: {half_life: 240h, shape: 1}}\ndatabase: {lock_timeout: 1s}"
    assert loaded(tmp_path, text).policy_hash == load(environ={}).policy_hash


@pytest.mark.parametrize(
    "text",
    [
        "timezone: CET", "durability: {permanent: {half_life: never}}", "run: [decay]",
        "category: {x: {half_life: 1d}}", "confidence: {adopt: history}", "archive: {threshold: 0}",
        "importance: {clock: accessed}", "data_type: {'null': [long_term, observation]}",
        "database: {zoneless_timezone: CET}", "backfill: {max_wal_rate: 1MB}", "contract: {quiet: 1h}",
    ],
)  # fmt: skip
def test_the_hash_changes_with_the_policy_only(tmp_path: Path, text: str) -> None:
    same = loaded(tmp_path, text).policy_hash == load(environ={}).policy_hash
    assert same == text.startswith(("run", "backfill", "contract"))


# Faults


def test_all_faults_are_named_at_once_in_the_order_of_their_lines(tmp_path: Path) -> None:
    found = problems(
        tmp_path,
        """\
categry: {}
durability:
  forever: {half_life: 1d}
  ephemeral: {half_life: 10m}
  long_term: {half_life: 10, shape: 0}
  permanent: {half_life: 0d}
timezone: Mars/Base
archive: {threshold: .nan, keep_importance: 017}
timezone: UTC
category:
  sport: {}
  mood: {after_deadline: {half_life: 1d, grace: 0h}}
  obligation: {half_life: 1d, shap: 2}
data_type: {mood: [permanent, mood], x: [long_term], y: [forever, z]}
run: [decay, decya]
""",
    )
    assert [(p.line, p.key) for p in found] == [
        (1, "categry"),
        (3, "durability.forever"),
        (4, "durability.ephemeral.half_life"),
        (5, "durability.long_term.half_life"),
        (5, "durability.long_term.shape"),
        (6, "durability.permanent.half_life"),
        (7, "timezone"),
        (8, "archive.threshold"),
        (8, "archive.keep_importance"),
        (9, "timezone"),
        (11, "category.sport.half_life"),
        (12, "category.mood.after_deadline"),
        (13, "category.obligation.shap"),
        (14, "data_type.mood"),
        (14, "data_type.x[1]"),
        (14, "data_type.y[0]"),
        (15, "run[1]"),
    ]


@pytest.mark.parametrize(
    ("text", "seen", "allowed"),
    [
        ("durabilty: {}", "unknown", "did you mean durability?"),
        ("durability: {mood: {half_life: 1d}}", "unknown", "belong under category"),
        ("durability: {permanent: 3650d}", "3650d", "write keys, with their values below"),
        ("durability: {permanent: {half_life: }}", "empty", "write never"),
        ("durability: {permanent: {shape: }}", "empty", "give it a value"),
        ("durability: {permanent: {half_life: 1000001y}}", "1000001y", "1s to 1000000y"),
        ("durability: {permanent: {half_life: 0.5s}}", "0.5s", "1s to 1000000y"),
        ("durability: {permanent: {half_life: 1:30}}", "1:30", "s, min, h, d, w or y"),
        ("durability: {permanent: {half_life: [1d]}}", "a list", "such as 36h or 10d"),
        ("durability: {permanent: {half_life: true}}", "true", "such as 36h or 10d"),
        ("durability: {permanent: {shape: 0.05}}", "0.05", "0.1 or more"),
        ("durability: {permanent: {shape: 11}}", "11", "10 or less"),
        ("durability: {permanent: {shape: '1'}}", "1", "without quotes"),
        ("durability: {permanent: {shape: true}}", "true", "write a number"),
        ("category: {'': {half_life: 1d}}", None, "a category needs a name"),
        ("category: {' x': {half_life: 1d}}", None, "without blanks around it"),
        ("confidence: {min_delta: -0.1}", "-0.1", "0 or more"),
        ("confidence: {adopt: later}", "later", "use 'now' or 'history'"),
        ("importance: {clock: mine}", "mine", "use 'confirmed' or 'accessed'"),
        ("importance: {access_boost: []}", None, "the last, which takes the rest"),
        ("importance: {access_boost: [{within: 1d, factor: 1}]}", None, "the last, which takes"),
        ("importance: {access_boost: [{factor: 1}, {factor: 1}]}", None, "the last, which takes"),
        (
            "importance: {access_boost: [{within: 7d, factor: 1}, {within: 3d, factor: 1}, "
            "{factor: 1}]}",
            None,
            "grows from tier to tier",
        ),
        ("importance: {access_boost: [{within: 0d, factor: 1}, {factor: 1}]}", None, "above 0"),
        ("importance: {access_boost: [{factor: 0}]}", "0", "more than 0"),
        ("importance: {access_boost: [{factor: 1.5}]}", "1.5", "1 or less"),
        ("importance: {access_boost: [{faktor: 1, factor: 1}]}", "unknown", "did you mean factor?"),
        ("importance: {access_boost: 1}", "1", "write a list"),
        ("archive: {max_fraction: 0}", "0", "more than 0"),
        ("archive: {keep_importance: 12}", "12", "11 or less"),
        ("archive: {keep_importance: 8.5}", "8.5", "whole number"),
        ("archive: {min_age: -1d}", "-1d", "can't be negative"),
        ("data_type: {x: [long_term, a, b]}", "a list", "the list is too long"),
        ("data_type: {x: long_term}", "long_term", "write a list"),
        ("data_type: {x: [long_term, 3]}", "3", "needs quotes"),
        ("data_type: {~: [forever, x]}", "forever", "'permanent'"),
        ('data_type: {"a\\0": [long_term, x]}', None, "no control characters"),
        ("run: []", None, "name at least one step"),
        ("run: [decay, decay]", None, "each only once"),
        ("run: decay", "decay", "write a list"),
        ("run: [dekay]", "dekay", "did you mean decay?"),
        ("run: [archive-it]", "archive-it", "known here: decay, expire-obligations"),
        ("~: 1", "unknown", "known here"),
        ("database: {table: a.b.c}", "a.b.c", "write table or schema.table"),
        ("database: {table: 3}", "3", "needs quotes"),
        ('database: {table: "\\"a\\0\\""}', '"a\\x00"', "NUL"),
        ("database: {schema: a.b}", "a.b", "a single name"),
        ("database: {schema: a, table: b.c}", None, "two different schemas"),
        ("database: {lock_timeout: 0s}", "0s", "0.001s to 24d"),
        ("database: {statement_timeout: 25d}", "25d", "0.001s to 24d"),
        (
            "database: {statement_timeout: 5s}",
            None,
            "statement_timeout (5s) must be longer than lock_timeout (5s)",
        ),
        (
            "database: {lock_timeout: 1h}",
            None,
            "statement_timeout (5min) must be longer than lock_timeout (1h)",
        ),
        ("database: {connect_timeout: 500}", "500", "a bare number has no unit"),
        ("backfill: {max_replication_lag: 30}", "30", "a bare number has no unit: write 30d"),
        ("backfill: {max_replication_lag: none}", "none", "for no limit write never"),
        ("backfill: {max_replication_lag: 0s}", "0s", "1s to 24d"),
        ("backfill: {max_replication_lag: 25d}", "25d", "1s to 24d"),
        ("backfill: {max_replication_lag: }", "empty", "for no limit write never"),
        ("backfill: {max_wal_rate: 20}", "20", "a bare number has no unit: write 20MB"),
        ("backfill: {max_wal_rate: 1kB}", "1kB", "64kB to 1024GB per second"),
        ("backfill: {max_wal_rate: 1025GB}", "1025GB", "64kB to 1024GB per second"),
        ("backfill: {max_wal_rate: true}", "true", "such as 20MB"),
        ("backfill: {max_wal_rate: [20MB]}", None, "such as 20MB"),
        ("backfill: {max_wal_rate: }", "empty", "for no limit write never"),
        ("backfill: {max_wal: 20MB}", "unknown", "did you mean max_wal_rate?"),
        ("contract: {quiet: never}", "never", "write a number and a unit"),
        ("contract: {quiet: }", "empty", "give it a value"),
        ("database: {zoneless_timezone: +02:00}", "+02:00", "IANA name"),
        ("timezone: America", "America", "IANA name"),
        ("timezone: ../../etc/passwd", "../../etc/passwd", "IANA name"),
        ("timezone: 2024-01-01", "2024-01-01", "IANA name"),
        ("timezone: " + "x" * 5000, "x" * 57 + "...", "IANA name"),
    ],
)
def test_a_fault_says_what_was_seen_and_what_is_allowed(
    tmp_path: Path, text: str, seen: str | None, allowed: str
) -> None:
    problem = only(tmp_path, text)
    assert problem.seen == seen
    assert allowed in problem.allowed
    assert problem.line == 1


def test_what_follows_from_a_fault_is_not_reported_again(tmp_path: Path) -> None:
    text = "category: {sport: {half_life: .inf}, art: {<<: {half_life: 1d}}}"
    assert [p.key for p in problems(tmp_path, text)] == [
        "category.sport.half_life",
        'category.art."<<"',
    ]


@pytest.mark.parametrize(
    "text",
    [
        "database: postgres://me:hunter2@host/db",
        "database: [hunter2]",
        "database: {dsn: 2, hunter2: x}",
        "database: {dns: hunter2}",
        "database: {dsn: {hunter2: 1, hunter2: 2}}",
        "database: {dns: {hunter2: *a}}",
        "database: {password: hunter2}",
        "database: {dsn: [hunter2]}",
        "database: {dsn: {hunter2: hunter2}}",
        "database: {table: 'postgres://me:hunter2@host/db'}",
        "database: {schema: password=hunter2}",
        "database: {'postgres://me:hunter2@host/db': x}",
        "dsn: postgres://me:hunter2@host/db",
        "timezone: postgres://me:hunter2@host/db",
        "database:\n  dsn: 'postgres://me:hunter2@host/db\n",
        "database:\n  dsn: !hunter2!x y\n",
        "database:\n  dsn: hunter2: x\n",
    ],
)
def test_no_fault_tells_a_password(tmp_path: Path, text: str) -> None:
    found = problems(tmp_path, text)
    hinted = text.startswith("database: {dsn: 2")
    told = [str(p) for p in found if "hunter2" in f"{p.seen} {p.allowed}"]
    assert told == []
    assert hinted or "hunter2" not in "".join(str(p) for p in found)


def test_no_representation_tells_the_password(tmp_path: Path) -> None:
    result = loaded(tmp_path, "database: {dsn: 'postgres://me:hunter2@host/db'}")
    assert "hunter2" not in repr(result)
    assert result.settings.database.dsn is not None
    assert result.settings.database.dsn.get_secret_value().endswith("hunter2@host/db")
