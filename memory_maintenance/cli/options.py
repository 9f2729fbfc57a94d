"""The options that every command shares, and the wrapper that gives them to it.

A command is a plain function: ``SharedOptions`` first, its own typed options after, a ``Result``
back.

    def decay(shared: SharedOptions, as_of: AsOf = None) -> Result: ...

A command that needs an option of a shared name to mean more takes it as its own, marked by ``Instead``; which
formats it has beyond those of all commands, the table of commands says.

``bind`` turns it into what typer parses. Nothing runs while the command line is being read: parsing
yields a ``Call``, so that whatever goes wrong in a command can't be mistaken for wrong usage.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Annotated, Any, Final, get_args, get_type_hints

import typer

from memory_maintenance.errors import UsageError
from memory_maintenance.model.instants import parse_instant
from memory_maintenance.model.result import Result
from memory_maintenance.render.formats import FORMATS

LOG_FORMATS: Final = ("text", "json")


@dataclass(frozen=True, slots=True)
class SharedOptions:
    """The options of section 10, as given; None where not.

    verbose counts: 0, 1 (-v) or more. table is not yet checked: that takes the configuration.
    """

    dsn: str | None = None
    config: Path | None = None
    table: str | None = None
    format: str = "text"
    quiet: bool = False
    verbose: int = 0
    log_format: str = "text"


@dataclass(frozen=True, slots=True)
class Call:
    """A command line that was read: what to run, and how to show what comes out.

    output: the file that it goes to; None is stdout. A command has that where it takes ``output``.
    """

    shared: SharedOptions
    run: Callable[[], Result]
    output: Path | None = None


@dataclass(frozen=True, slots=True)
class Instead:
    """Marks a command's parameter that takes the place of the shared option of its name, in Annotated.

    shared: what ``SharedOptions`` gets of its value; the command gets the value itself.
    """

    shared: Callable[[Any], Any]


def _instant(text: str | datetime) -> datetime | None:
    # Typer hands a default through the parser as well.
    if isinstance(text, datetime):
        return text
    if text.strip().lower() == "now":
        return None
    try:
        return parse_instant(text)
    except ValueError as error:
        raise typer.BadParameter(str(error)) from None


def _one_of(formats: Sequence[str]) -> Callable[[str], str]:
    def checked(text: str) -> str:
        if text not in formats:
            raise typer.BadParameter(f"{text!r} is none of {', '.join(formats)}")
        return text

    return checked


def _format_option(formats: Sequence[str]) -> Any:
    return Annotated[
        str,
        typer.Option(
            "--format",
            parser=_one_of(formats),
            metavar="|".join(formats),
            help="Form of the result on stdout (default: text).",
            show_default=False,
        ),
    ]


# None means now: one reading of the server's clock, taken once by whoever runs the command.
AsOf = Annotated[
    datetime | None,
    typer.Option(
        "--as-of",
        parser=_instant,
        metavar="TIME",
        help="Reckon as at this instant, such as 2026-06-01T00:00:00Z (default: now).",
        show_default=False,
    ),
]

_Dsn = Annotated[
    str | None,
    typer.Option(
        "--dsn",
        metavar="DSN",
        help="The database: URL, key=value string, or embedded:[DIR].",
        show_default=False,
    ),
]
_Config = Annotated[
    Path | None,
    typer.Option("--config", metavar="FILE", help="Configuration file.", show_default=False),
]
_Table = Annotated[
    str | None,
    typer.Option(
        "--table", metavar="NAME", help="Table of facts: table or schema.table.", show_default=False
    ),
]
_Quiet = Annotated[
    bool,
    typer.Option(
        "-q", "--quiet", help="Say nothing unless something is wrong.", show_default=False
    ),
]
_Verbose = Annotated[
    int,
    typer.Option(
        "-v",
        "--verbose",
        count=True,
        help="Log more to stderr; -vv still more.",
        show_default=False,
    ),
]

_LogFormat = Annotated[
    str,
    typer.Option(
        "--log-format",
        parser=_one_of(LOG_FORMATS),
        metavar="|".join(LOG_FORMATS),
        help="Form of the lines on stderr (default: text).",
        show_default=False,
    ),
]

_SHARED: dict[str, tuple[Any, Any]] = {
    "dsn": (_Dsn, None),
    "config": (_Config, None),
    "table": (_Table, None),
    "format": (_format_option(tuple(FORMATS)), "text"),
    "quiet": (_Quiet, False),
    "verbose": (_Verbose, 0),
    "log_format": (_LogFormat, "text"),
}


def bind(
    command: Callable[..., Result], formats: Sequence[str] = tuple(FORMATS)
) -> Callable[..., Call]:
    """The command as typer wants it: the shared options as parameters, a Call as its value.

    command: takes SharedOptions as its first parameter. formats: what --format takes. Raises TypeError where
    the first parameter is another, or where one is named like a shared option and not marked by ``Instead``.
    """
    own = _own_parameters(command)
    instead = {p.name: marker for p in own if (marker := _instead(p.annotation)) is not None}
    shared = [
        inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=hint)
        for name, (hint, default) in {
            **_SHARED,
            "format": (_format_option(formats), "text"),
        }.items()
        if name not in instead
    ]

    def read(**values: Any) -> Call:
        of_all = {
            name: instead[name].shared(values[name])
            if name in instead
            else values.pop(name, default)
            for name, (_, default) in _SHARED.items()
        }
        options = SharedOptions(**of_all)
        if options.quiet and options.verbose:
            raise UsageError("-q and -v contradict each other", remedy="give one of them")
        return Call(options, partial(command, options, **values), values.get("output"))

    # Typer reads both: the signature for the order and the defaults, the annotations for the types.
    signature = inspect.Signature([*own, *shared], return_annotation=Call)
    read.__signature__ = signature  # type: ignore[attr-defined]
    read.__annotations__ = {p.name: p.annotation for p in signature.parameters.values()}
    read.__name__ = command.__name__
    read.__doc__ = command.__doc__
    return read


def _own_parameters(command: Callable[..., Result]) -> list[inspect.Parameter]:
    # A command module may postpone its annotations; here they are needed as objects.
    hints = get_type_hints(command, include_extras=True)
    first, *rest = inspect.signature(command).parameters.values()
    if hints.get(first.name) is not SharedOptions:
        raise TypeError(f"{command.__qualname__}: the first parameter isn't SharedOptions")
    own = [p.replace(annotation=hints[p.name], kind=inspect.Parameter.KEYWORD_ONLY) for p in rest]
    taken = [p.name for p in own if p.name in _SHARED and _instead(p.annotation) is None]
    if taken:
        raise TypeError(f"{command.__qualname__}: {', '.join(sorted(taken))} is a shared option")
    return own


def _instead(annotation: Any) -> Instead | None:
    return next((part for part in get_args(annotation) if isinstance(part, Instead)), None)


def action_argument(actions: Sequence[str]) -> Any:
    """The word that says what a command of several actions should do, refused where it is none of them."""

    def known(text: str) -> str:
        if text not in actions:
            raise typer.BadParameter(f"{text!r} is none of {', '.join(actions)}")
        return text

    return typer.Argument(
        metavar="ACTION",
        callback=known,
        help=f"One of {', '.join(actions)}.",
        show_default=False,
    )


def span_parser(longest: timedelta, allowed: str) -> Callable[[str | timedelta], timedelta]:
    """What reads an option that is a span above 0, up to the longest. allowed: says so."""

    def span(value: str | timedelta) -> timedelta:
        # Typer hands a default through the parser as well.
        from memory_maintenance.config.durations import parse_duration

        if isinstance(value, timedelta):
            return value
        try:
            parsed = parse_duration(value)
        except ValueError as error:
            raise typer.BadParameter(str(error)) from None
        if not timedelta(0) < parsed <= longest:
            raise typer.BadParameter(allowed)
        return parsed

    return span
