"""``extraction``: prints the contract for an extractor's model, and takes in what it answers."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Final

import typer

from memory_maintenance.cli.options import SharedOptions, action_argument
from memory_maintenance.errors import UsageError
from memory_maintenance.model.result import Result
from memory_maintenance.render.formats import FORMATS

_ACTIONS: Final = ("prompt", "ingest")
_STDIN: Final = "-"


def extraction(
    shared: SharedOptions,
    *,
    action: Annotated[str, action_argument(_ACTIONS)],
    file: Annotated[
        str | None,
        typer.Argument(
            metavar="FILE|-",
            help="ingest: the model's answer (default: -, which is stdin).",
            show_default=False,
        ),
    ] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="ingest: show what would be done; write nothing.")
    ] = False,
) -> Result:
    """Print the contract for an extractor's model, or take in its answer.

    \b
    extraction prompt [--format text|json|openai-tool|json-schema]
    extraction ingest [FILE|-] [--dry-run]

    prompt needs no database. ingest checks each fact of an answer and stores it by itself: created,
    reinforced, adjusted, or rejected, and then kept in memory_maintenance.rejected (exit 1).
    """
    if action == "prompt":
        if file is not None or dry_run:
            what = "--dry-run" if file is None else f"the file {file!r}"
            raise UsageError(
                f"prompt takes no answer: {what} is for ingest",
                remedy="memory-maintenance extraction prompt",
            )
        return _prompt(shared)
    if shared.format not in FORMATS:
        raise UsageError(
            f"--format {shared.format} is for prompt",
            remedy=f"memory-maintenance extraction ingest --format {'|'.join(FORMATS)}",
        )
    return _ingest(shared, _read(file or _STDIN), dry_run=dry_run)


def _prompt(shared: SharedOptions) -> Result:
    from memory_maintenance.cli.opening import load_configuration
    from memory_maintenance.extraction.prompt import prompt

    return prompt(load_configuration(shared).settings)


def _ingest(shared: SharedOptions, answer: bytes, *, dry_run: bool) -> Result:
    from memory_maintenance.cli.opening import opened

    with opened(shared, "extraction") as o:
        from memory_maintenance.extraction.answer import parse_answer
        from memory_maintenance.extraction.ingest import ingest

        session, settings = o.session, o.loaded.settings
        at = session.clock()
        items = parse_answer(answer, settings=settings, as_of=at)
        return ingest(session, settings, items, as_of=at, dry_run=dry_run)


def _read(file: str) -> bytes:
    """The answer, or one byte more than is read of any. Raises UsageError where it can't be read."""
    from memory_maintenance.extraction.answer import LONGEST_ANSWER

    if file == _STDIN:
        if sys.stdin is None:
            raise UsageError("there is no stdin to read the answer from")
        return sys.stdin.buffer.read(LONGEST_ANSWER + 1)
    try:
        with Path(file).open("rb") as stream:
            return stream.read(LONGEST_ANSWER + 1)
    except (OSError, ValueError) as error:
        why = error.strerror if isinstance(error, OSError) else str(error)
        raise UsageError(
            f"the answer can't be read from {file}: {why}",
            remedy="name a file that this user may read, or - for stdin",
        ) from None
