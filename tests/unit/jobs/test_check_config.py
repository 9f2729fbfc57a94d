"""check-config shows what is in force, and from where."""

from __future__ import annotations

import json
from pathlib import Path

from memory_maintenance.config.load import load
from memory_maintenance.jobs.check_config import CheckConfigResult, check_config
from memory_maintenance.model.result import Outcome, Table


def checked(tmp_path: Path, text: str) -> CheckConfigResult:
    path = tmp_path / "a.yaml"
    path.write_text(text, encoding="utf-8")
    return check_config(load(path, environ={}, overrides={"database.table": "nova.facts"}))


def test_each_policy_has_its_value_and_its_line(tmp_path: Path) -> None:
    result = checked(tmp_path, "durability:\n  ephemeral:\n    shape: 2\n    half_life: 2d\n")
    (row,) = (r for r in result.policies if r.name == "ephemeral")
    path = tmp_path / "a.yaml"
    assert (row.half_life_s, row.shape) == (172_800, 2.0)
    assert row.source == f"{path}:4, {path}:3"
    (decision,) = (r for r in result.policies if r.name == "decision")
    assert decision.half_life_s is None
    assert decision.source.startswith("built-in:")


def test_what_follows_a_deadline_is_a_policy_of_its_own(tmp_path: Path) -> None:
    result = checked(tmp_path, "category: {obligation: {shape: 3, after_deadline: {grace: 1d}}}")
    before, after = (r for r in result.policies if r.name == "obligation")
    assert (before.when, before.half_life_s, before.grace_s) == (None, None, None)
    assert (after.when, after.half_life_s, after.grace_s) == ("after its deadline", 172_800, 86_400)
    assert after.shape == 1.0


def test_every_setting_is_shown_once(tmp_path: Path) -> None:
    result = checked(tmp_path, "")
    values = {row.key: (row.value, row.source) for row in result.values}
    assert values["database.table"] == ("nova.facts", "--table")
    assert values["database.schema"] == ("not set", "built-in")
    assert values["importance.access_boost"][0] == "1.0 within 3d, 0.8 within 7d, 0.5 otherwise"
    assert values["run"][0] == "expire-obligations, decay"
    assert values["backfill.max_replication_lag"][0] == "30s"
    assert values["backfill.max_wal_rate"][0] == "never"
    assert values["contract.quiet"][0] == "24h"
    assert len(values) == len(result.values)
    assert len(result.data_types) == 12


def test_a_rate_is_shown_as_it_is_written(tmp_path: Path) -> None:
    result = checked(tmp_path, "backfill: {max_wal_rate: 0.5MB, max_replication_lag: never}")
    values = {row.key: (row.value, row.source) for row in result.values}
    assert values["backfill.max_wal_rate"] == ("512kB", f"{tmp_path / 'a.yaml'}:1")
    assert values["backfill.max_replication_lag"][0] == "never"


def test_a_connection_string_is_never_shown(tmp_path: Path) -> None:
    result = checked(tmp_path, "database: {dsn: 'postgres://me:hunter2@host/db'}")
    assert {r.key: r.value for r in result.values}["database.dsn"] == "(set)"
    assert "hunter2" not in f"{result!r}{result.blocks()}{json.dumps(result.document())}"


def test_it_is_done_and_its_fields_are_the_document(tmp_path: Path) -> None:
    result = checked(tmp_path, "")
    assert result.outcome is Outcome.DONE
    document = result.document()
    assert document["command"] == "check-config"
    assert document["policies"][0]["half_life_s"] == 315_360_000
    assert {r["data_type"] for r in document["data_types"]} >= {None, "identity"}
    assert all(
        len(row) == len(block.columns)
        for block in result.blocks()
        if isinstance(block, Table)
        for row in block.rows
    )
