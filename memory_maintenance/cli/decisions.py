"""``decisions``: lists and shows them, records one, supersedes one, reopens one."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import Annotated, Any, Final, cast

import typer

from memory_maintenance.cli.options import SharedOptions, action_argument
from memory_maintenance.errors import UsageError
from memory_maintenance.model.result import Result

_ACTIONS: Final = ("list", "show", "record", "supersede", "reopen")
_VIEWS: Final = ("open", "superseded")
_STDIN: Final = "-"


def decisions(
    shared: SharedOptions,
    *,
    action: Annotated[str, action_argument(_ACTIONS)],
    subject: Annotated[
        str | None,
        typer.Argument(
            metavar="ID|VIEW|-",
            help="The fact's key; for list open (the default) or superseded; for record - to read "
            "JSON from stdin.",
            show_default=False,
        ),
    ] = None,
    document: Annotated[
        str | None,
        typer.Argument(metavar="-", help="supersede: read JSON from stdin.", show_default=False),
    ] = None,
    every: Annotated[bool, typer.Option("--all", help="list: superseded ones too.")] = False,
    decided: Annotated[
        str | None,
        typer.Option("--decided", metavar="TEXT", help="What was decided.", show_default=False),
    ] = None,
    alternative: Annotated[
        list[str] | None,
        typer.Option(
            "--alternative",
            metavar="TEXT",
            help="What else there was; may be repeated.",
            show_default=False,
        ),
    ] = None,
    no_alternatives: Annotated[
        bool, typer.Option("--no-alternatives", help="Say that there was nothing else.")
    ] = False,
    reasoning: Annotated[
        str | None,
        typer.Option("--reasoning", metavar="TEXT", help="Why.", show_default=False),
    ] = None,
    decided_by: Annotated[
        str | None,
        typer.Option("--decided-by", metavar="WHO", help="Who decided.", show_default=False),
    ] = None,
    decided_at: Annotated[
        str | None,
        typer.Option(
            "--decided-at",
            metavar="TIME",
            help="When, such as 2026-06-01T12:00:00Z.",
            show_default=False,
        ),
    ] = None,
    entity: Annotated[
        str | None,
        typer.Option(
            "--entity", metavar="ID", help="Whom it is about: entity_id.", show_default=False
        ),
    ] = None,
    key: Annotated[
        str | None,
        typer.Option(
            "--key",
            metavar="KEY",
            help="The fact's key (default: decision, or that of the superseded one).",
            show_default=False,
        ),
    ] = None,
    value: Annotated[
        str | None,
        typer.Option(
            "--value",
            metavar="TEXT",
            help="The fact's value (default: what was decided).",
            show_default=False,
        ),
    ] = None,
    importance: Annotated[
        int | None,
        typer.Option("--importance", metavar="1-10", help="Its importance.", show_default=False),
    ] = None,
    visibility: Annotated[
        str | None,
        typer.Option(
            "--visibility",
            metavar="public|trusted|private",
            help="Who may be told (default: the column's, or as the superseded one).",
            show_default=False,
        ),
    ] = None,
    reason: Annotated[
        str | None,
        typer.Option(
            "--reason", metavar="TEXT", help="reopen: why, for the record.", show_default=False
        ),
    ] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Check and show what would be done; write nothing.")
    ] = False,
) -> Result:
    """List and show decisions, record one, supersede one, reopen one.

    \b
    decisions list [open|superseded] [--all]
    decisions show ID
    decisions record --decided ... --alternative ... --reasoning ...
                     --decided-by ... --decided-at ...   (or - for JSON)
    decisions supersede ID --decided ...                 (as record, or -)
    decisions reopen ID --reason TEXT

    What was decided is kept: the database refuses to change or delete it. A newer decision supersedes
    it; reopen lets it be changed, and records why.
    """
    options = {
        "--decided": decided,
        "--alternative": alternative or ([] if no_alternatives else None),
        "--reasoning": reasoning,
        "--decided-by": decided_by,
        "--decided-at": decided_at,
        "--entity": entity,
        "--key": key,
        "--value": value,
        "--importance": importance,
        "--visibility": visibility,
    }
    given = {name: option for name, option in options.items() if option is not None}
    if alternative and no_alternatives:
        raise UsageError("--alternative and --no-alternatives contradict each other")
    _check(
        action,
        subject,
        document=document,
        given=given,
        every=every,
        reason=reason,
        dry_run=dry_run,
    )
    if action in ("list", "show"):
        return _read(shared, action, "all" if every else subject)
    if action == "reopen":
        assert subject is not None
        return _reopen(shared, subject, reason or "", dry_run=dry_run)
    piped = _STDIN in (subject if action == "record" else None, document)
    return _record(
        shared,
        None if action == "record" else subject,
        _members(given, piped=piped),
        dry_run=dry_run,
    )


def _check(
    action: str,
    subject: str | None,
    *,
    document: str | None,
    given: Mapping[str, Any],
    every: bool,
    reason: str | None,
    dry_run: bool,
) -> None:
    """Raises UsageError for what doesn't belong together."""
    form = {
        "list": "list [open|superseded] [--all]",
        "show": "show ID",
        "record": "record --decided TEXT ..., or record - for JSON on stdin",
        "supersede": "supersede ID --decided TEXT ..., or supersede ID - for JSON on stdin",
        "reopen": "reopen ID --reason TEXT",
    }[action]
    remedy = f"memory-maintenance decisions {form}"
    if action == "list":
        if subject is not None and (subject not in _VIEWS or every):
            what = "--all lists both" if every else f"{subject!r} is none of {', '.join(_VIEWS)}"
            raise UsageError(what, remedy=remedy)
    elif every:
        raise UsageError("--all is for list", remedy=remedy)
    if action in ("show", "supersede", "reopen") and subject is None:
        raise UsageError(f"{action} needs the key of a fact", remedy=remedy)
    if action == "record" and subject not in (None, _STDIN):
        raise UsageError(f"record takes no {subject!r}: the new fact gets a key", remedy=remedy)
    if document is not None and (action != "supersede" or document != _STDIN):
        raise UsageError(f"{action} takes no {document!r}", remedy=remedy)
    if action not in ("record", "supersede") and given:
        raise UsageError(f"{next(iter(given))} is for record and supersede", remedy=remedy)
    if action in ("list", "show") and dry_run:
        raise UsageError(f"{action} only reads", remedy=remedy)
    if action == "reopen" and not (reason or "").strip():
        raise UsageError("reopening a decision needs a reason", remedy=remedy)
    if action != "reopen" and reason is not None:
        raise UsageError("--reason is for reopen", remedy=remedy)


def _members(
    given: Mapping[str, Any], *, piped: bool
) -> tuple[Mapping[str, Any], Mapping[str, str]]:
    """What is said of a decision, and what the members are called where it is said."""
    from memory_maintenance.model.decision import LONGEST_DOCUMENT, parse_document

    if piped:
        if given:
            raise UsageError(
                f"{next(iter(given))} and a document on stdin: one or the other",
                remedy="put it into the document",
            )
        if sys.stdin is None:
            raise UsageError("there is no stdin to read the document from")
        return parse_document(sys.stdin.buffer.read(LONGEST_DOCUMENT + 1)), {}
    names = {
        "decided": "--decided",
        "alternatives": "--alternative",
        "reasoning": "--reasoning",
        "decided_by": "--decided-by",
        "decided_at": "--decided-at",
        "entity_id": "--entity",
        "key": "--key",
        "value": "--value",
        "importance": "--importance",
        "visibility": "--visibility",
    }
    return {member: given[name] for member, name in names.items() if name in given}, names


def _read(shared: SharedOptions, action: str, subject: str | None) -> Result:
    from memory_maintenance.cli.opening import opened, started

    with (
        opened(shared, "decisions") as o,
        started(o, "decisions", as_of=None, dry_run=True) as run,
    ):
        from memory_maintenance.jobs import decisions as job

        if action == "list":
            return job.list_decisions(run, cast(job.View, subject or "open"))
        assert subject is not None
        return job.show(run, subject)


def _record(
    shared: SharedOptions,
    old: str | None,
    said: tuple[Mapping[str, Any], Mapping[str, str]],
    *,
    dry_run: bool,
) -> Result:
    from memory_maintenance.cli.opening import opened
    from memory_maintenance.model.decision import read_decision

    new = read_decision(*said)
    with opened(shared, "decisions") as o:
        from memory_maintenance.jobs import decision_changes as job

        session, settings = o.session, o.loaded.settings
        at = session.clock()
        if old is None:
            return job.record(session, settings, new, as_of=at, dry_run=dry_run)
        return job.supersede(session, settings, old, new, as_of=at, dry_run=dry_run)


def _reopen(shared: SharedOptions, fact: str, reason: str, *, dry_run: bool) -> Result:
    from memory_maintenance.cli.opening import opened

    with opened(shared, "decisions") as o:
        from memory_maintenance.jobs.decision_changes import reopen

        at = o.session.clock()
        return reopen(o.session, o.loaded.settings, fact, reason, as_of=at, dry_run=dry_run)
