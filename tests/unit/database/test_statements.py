"""SQL is loaded by name, in the variant for the server, and its slots are filled or refused."""

from __future__ import annotations

from importlib import resources
from importlib.resources.abc import Traversable

import pytest
from psycopg import sql

from memory_maintenance.database.statements import load, prefixed, read, slots_of


def every_file(folder: Traversable, path: str = "") -> list[str]:
    found = []
    for entry in folder.iterdir():
        name = f"{path}{entry.name}"
        if entry.is_dir():
            found += every_file(entry, f"{name}/")
        elif name.endswith(".sql"):
            found.append(name)
    return sorted(found)


FILES = every_file(resources.files("memory_maintenance") / "sql")


@pytest.mark.parametrize("name", [name for name in FILES if name.startswith("schema/")])
def test_a_schema_file_has_no_percent_sign(name: str) -> None:
    """It is executed as it is and printed as a statement with placeholders: one of the two would go wrong."""
    assert "%" not in read(name.removesuffix(".sql"))


def test_the_newest_variant_that_fits_is_taken() -> None:
    name = "session/connection_check"
    assert read(name, 130000) == read(name)
    assert "client_connection_check_interval'" not in read(name, 139999)
    assert "client_connection_check_interval'" in read(name, 140000)
    assert read(name, 180004) == read(name, 140000)


def test_an_unknown_name_is_an_error() -> None:
    for name in ("session/nonsense", "nonsense/clock", "clock"):
        with pytest.raises(LookupError, match=name):
            load(name)


def test_a_slot_must_be_filled_and_no_other_given() -> None:
    with pytest.raises(KeyError):
        load("batches/ends", facts=sql.Identifier("t"))
    with pytest.raises(TypeError, match="nobody"):
        load("session/clock", nobody=sql.SQL(""))


def test_a_prefix_goes_before_every_parameter_and_touches_nothing_else() -> None:
    statement = sql.SQL("SELECT %(one)s, {}, {}, {}, 5 %% 2, '%%(no)s'").format(
        sql.SQL("f({})").format(sql.Placeholder("two")),
        sql.Identifier("a%(b)s"),
        sql.Literal("c"),
    )
    text = prefixed(statement, "other_").as_string()
    assert text == ("SELECT %(other_one)s, f(%(other_two)s), \"a%(b)s\", 'c', 5 %% 2, '%%(no)s'")


def test_identifiers_in_slots_are_quoted() -> None:
    text = load(
        "batches/ends", facts=sql.Identifier('a"b', "c"), key=sql.Identifier("k")
    ).as_string()
    assert 'FROM "a""b"."c" AS f' in text


def test_doubled_braces_are_no_slots() -> None:
    assert slots_of("SELECT '{{}}', '{{\"a\": {b}}}' {c}") == {"b", "c"}


@pytest.mark.parametrize("file", FILES)
def test_each_file_says_at_its_head_what_it_yields_and_which_locks_it_takes(file: str) -> None:
    text = (resources.files("memory_maintenance") / "sql" / file).read_text(encoding="utf-8")
    assert text.startswith("-- ")
    name = file.partition(".")[0]
    version = int(file.partition(".from_")[2].removesuffix(".sql") or 0)
    body = read(name, version)
    assert body, "there is more than the header"
    assert not body.startswith("--")
    slots = {slot: sql.SQL("x") for slot in slots_of(body)}
    load(name, server_version=version, **slots).as_string()
