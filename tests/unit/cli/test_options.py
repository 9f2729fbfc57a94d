"""How a command takes a shared option's name for one of its own."""

from __future__ import annotations

import inspect
from dataclasses import dataclass
from typing import Annotated

import pytest
import typer

from memory_maintenance.cli.options import Instead, SharedOptions, bind
from memory_maintenance.cli.parser import Command, parse
from memory_maintenance.errors import UsageError
from memory_maintenance.model.result import Result
from memory_maintenance.render.formats import FORMATS


@dataclass(frozen=True, slots=True, kw_only=True)
class Told(Result):
    """What a command was called with."""

    shared: SharedOptions
    table: list[str] | None  # type: ignore[assignment]


def several(
    shared: SharedOptions,
    table: Annotated[
        list[str] | None,
        typer.Option("--table", help="As often as you like."),
        Instead(lambda names: names[0] if names else None),
    ] = None,
) -> Result:
    """Takes several tables."""
    return Told(command="several", shared=shared, table=table)


SEVERAL = Command("several", f"{__name__}:several", "Takes several.", (0,), ("text", "sarif"))
PLAIN = Command("plain", f"{__name__}:plain", "Takes one.", (0,))


def plain(shared: SharedOptions) -> Result:
    """Takes the shared options as they are."""
    return Told(command="plain", shared=shared, table=None)


def called(*arguments: str) -> Told:
    call = parse(arguments, [SEVERAL, PLAIN], {0: "done"})
    assert not isinstance(call, str)
    told = call.run()
    assert isinstance(told, Told)
    assert told.shared == call.shared
    return told


def test_a_command_gets_all_of_its_own_option_and_the_shared_ones_what_it_says() -> None:
    told = called("several", "--table", "a", "--table", "b", "--dsn", "x")
    assert told.table == ["a", "b"]
    assert (told.shared.table, told.shared.dsn) == ("a", "x")
    assert called("several").shared.table is None


def test_the_other_commands_keep_the_shared_one() -> None:
    assert called("plain", "--table", "a").shared.table == "a"


def test_the_help_has_each_option_once() -> None:
    text = parse(["several", "--help"], [SEVERAL], {0: "done"})
    assert isinstance(text, str)
    assert text.count("--table") == 1
    assert "As often as you like." in text
    assert "--format text|sarif" in text


def test_a_command_has_the_formats_of_its_line_in_the_table() -> None:
    assert called("several", "--format", "sarif").shared.format == "sarif"
    with pytest.raises(UsageError, match="'json' is none of text, sarif"):
        called("several", "--format", "json")
    with pytest.raises(UsageError, match=f"'sarif' is none of {', '.join(FORMATS)}"):
        called("plain", "--format", "sarif")


def test_a_shared_name_without_the_mark_is_refused() -> None:
    def unmarked(shared: SharedOptions, table: str) -> Result:
        raise NotImplementedError

    with pytest.raises(TypeError, match="table is a shared option"):
        bind(unmarked)


def test_the_signature_has_no_name_twice() -> None:
    names = list(inspect.signature(bind(several)).parameters)
    assert sorted(names) == [
        "config",
        "dsn",
        "format",
        "log_format",
        "quiet",
        "table",
        "verbose",
    ]
