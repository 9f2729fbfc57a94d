"""What metrics call the database, and what is never shown of the check."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from memory_maintenance.config.load import load
from memory_maintenance.database.target import resolve
from memory_maintenance.errors import ConfigError
from memory_maintenance.monitoring.observed import Ended, Subject
from memory_maintenance.monitoring.pings import Pinger
from tests.support.checks import Check
from tests.support.command import Call


@pytest.mark.parametrize(
    ("dsn", "environ", "server", "database"),
    [
        ("postgresql://me:hunter2@db.example:5433/nova", {}, "db.example:5433", "nova"),
        ("postgresql://me@db.example/nova", {}, "db.example", "nova"),
        ("host=/run/postgresql dbname=nova", {}, "/run/postgresql", "nova"),
        ("dbname=nova", {"PGHOST": "db", "PGPORT": "1"}, "db:1", "nova"),
        ("service=memory", {}, "memory", ""),
        ("user=me", {}, "", "me"),
        ("embedded:/srv/memory", {}, "embedded", "memory_maintenance"),
    ],
)
def test_the_place_is_told_without_user_and_password(
    dsn: str, environ: Mapping[str, str], server: str, database: str
) -> None:
    target = resolve(dsn=dsn, environ=environ, settings_dsn=None, home=Path("/nonexistent"))
    assert target.place == {"server": server, "database": database}


@pytest.mark.parametrize(
    "url", ["hunter2", "ftp://x/hunter2", "https:///hunter2", "https://x/hunter2#y", "https://x y"]
)
def test_a_url_that_is_refused_is_not_shown(tmp_path: Path, url: str) -> None:
    path = tmp_path / "config.yaml"
    path.write_text(f"monitoring: {{ping_url: '{url}'}}\n")
    with pytest.raises(ConfigError) as refused:
        load(path, environ={})
    (problem,) = refused.value.problems
    assert "monitoring.ping_url is (hidden); write a URL such as" in str(problem)
    assert "hunter2" not in str(problem)
    with pytest.raises(ConfigError) as refused:
        load(environ={"MEMORY_MAINTENANCE_PING_URL": url})
    assert "hunter2" not in str(refused.value.problems)


@pytest.mark.parametrize(
    "section",
    [
        "textfile_directory: metrics",
        "textfile_directory: ''",
        "ping_timeout: 61s",
        "ping_timeout: 0.05s",
        "ping_commands: []",
        "ping_commands: [run, run]",
        "ping_commands: [report]",
    ],
)
def test_what_makes_no_sense_is_refused(tmp_path: Path, section: str) -> None:
    path = tmp_path / "config.yaml"
    path.write_text(f"monitoring:\n  {section}\n")
    with pytest.raises(ConfigError) as refused:
        load(path, environ={})
    (problem,) = refused.value.problems
    assert problem.key.startswith(f"monitoring.{section.partition(':')[0]}")
    assert problem.line == 2


def test_check_config_tells_that_a_url_is_set_and_no_more(call: Call) -> None:
    url = "https://check.example/hunter2"
    done = call("check-config", env={"MEMORY_MAINTENANCE_PING_URL": url})
    assert done.returncode == 0
    (line,) = [line for line in done.stdout.splitlines() if "ping_url" in line]
    assert "(set)" in line
    assert "hunter2" not in done.stdout


def test_the_policy_does_not_change_with_who_is_told(tmp_path: Path) -> None:
    told = load(environ={"MEMORY_MAINTENANCE_PING_URL": "https://check.example/x"})
    assert told.policy_hash == load(environ={}).policy_hash


def test_a_url_is_pinged_over_tls_where_it_says_so(check: Check) -> None:
    # The check speaks no TLS: that is told, and nothing is sent in the clear.
    tells = Pinger(check.url.replace("http:", "https:"), timeout_s=5, version="1", pause_s=0)
    ended = Ended(Subject("run", "t"), "1", 0, ended_at_s=1.0, duration_s=1.0)
    assert tells.ended(ended) == ["the end: ConnectError (SSLError)"]
    assert check.pings == []
