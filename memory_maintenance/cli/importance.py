"""``importance``: has a model score the facts whose importance nobody has scored."""

from __future__ import annotations

from typing import Annotated, Final

import typer

from memory_maintenance.cli.options import SharedOptions
from memory_maintenance.model.result import Result

_ACTIONS: Final = ("score",)


def _action(text: str) -> str:
    if text not in _ACTIONS:
        raise typer.BadParameter(f"{text!r} is not {_ACTIONS[0]}")
    return text


def importance(
    shared: SharedOptions,
    *,
    action: Annotated[
        str,
        typer.Argument(metavar="ACTION", callback=_action, help="score.", show_default=False),
    ],
    max_requests: Annotated[
        int | None,
        typer.Option(
            "--max-requests",
            metavar="N",
            min=1,
            max=1_000_000,
            help="Send no more requests than this, repeated ones included (default: "
            "scoring.max_requests).",
            show_default=False,
        ),
    ] = None,
    include_private: Annotated[
        bool, typer.Option("--include-private", help="Send facts that aren't public, too.")
    ] = False,
    dry_run: Annotated[
        bool,
        typer.Option(
            "--dry-run", help="Show the first prompt and the counts; send and write nothing."
        ),
    ] = False,
) -> Result:
    """Have a model score the facts whose importance nobody has scored.

    \b
    importance score [--max-requests N] [--include-private] [--dry-run]

    The newest first, in batches, through the OpenAI-compatible endpoint that the configuration names
    under scoring; without one it is off. Public facts only, unless --include-private says otherwise.
    Exit 1 where an answer couldn't be used: its facts stay unscored, and the next run asks again.
    """
    assert action == "score"
    from memory_maintenance.cli.opening import opened
    from memory_maintenance.cli.progress import progress_reporter

    with opened(shared, "importance") as o, progress_reporter(shared) as emit:
        from memory_maintenance.extraction.scoring import ScoreOptions, score

        options = ScoreOptions(max_requests, include_private, dry_run)
        return score(o.session, o.loaded.settings, options, emit=emit)
