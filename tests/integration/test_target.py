"""What a target gives to libpq, seen from a real server."""

from __future__ import annotations

import os
from pathlib import Path

import psycopg
import pytest
from psycopg import sql
from psycopg.conninfo import make_conninfo

from memory_maintenance.database.target import neutralise_environment, resolve
from tests.support.server import TestDatabase

RESET = "SELECT reset_val, source FROM pg_catalog.pg_settings WHERE name = 'TimeZone'"


@pytest.fixture
def in_tokyo(empty_database: TestDatabase) -> TestDatabase:
    """A database whose sessions are in Tokyo by default."""
    statement = sql.SQL("ALTER DATABASE {} SET timezone = 'Asia/Tokyo'")
    empty_database.connect().execute(statement.format(sql.Identifier(empty_database.name)))
    return empty_database


def zone_seen(conninfo: str) -> tuple[object, ...] | None:
    with psycopg.connect(conninfo) as connection:
        assert connection.execute("SHOW geqo").fetchone() == ("off",)
        return connection.execute(RESET).fetchone()


def test_a_zone_in_the_dsn_does_not_hide_the_databases_own(in_tokyo: TestDatabase) -> None:
    asking = make_conninfo(in_tokyo.dsn, options="-c geqo=off --TimeZone=UTC")
    target = resolve(dsn=asking, environ={}, settings_dsn=None, home=Path("/nonexistent"))
    assert zone_seen(target.conninfo) == ("Asia/Tokyo", "database")


def test_zones_in_the_environment_do_not_hide_the_databases_own(
    in_tokyo: TestDatabase, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PGTZ", "UTC")
    monkeypatch.setenv("PGOPTIONS", "-ctimezone=UTC -c geqo=off")
    target = resolve(dsn=in_tokyo.dsn, environ={}, settings_dsn=None, home=Path("/nonexistent"))
    assert zone_seen(target.conninfo) == ("UTC", "client")  # what it is about
    neutralise_environment(os.environ, target)
    assert zone_seen(target.conninfo) == ("Asia/Tokyo", "database")
