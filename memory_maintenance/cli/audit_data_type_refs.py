"""``audit-data-type-refs``: what still reads or writes the retired column."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Annotated, Final, Literal

import typer

from memory_maintenance.cli.options import Instead, SharedOptions
from memory_maintenance.errors import UsageError
from memory_maintenance.model.result import Result

if TYPE_CHECKING:
    from memory_maintenance.audit.catalog import FoundTable
    from memory_maintenance.audit.findings import DatabaseEntry
    from memory_maintenance.audit.scan import Report
    from memory_maintenance.audit.subject import Subject, TableName
    from memory_maintenance.config.load import Loaded

COMMAND: Final = "audit-data-type-refs"
DATA_TYPE: Final = "data_type"
ARCHIVE_SUFFIX: Final = "_archive"


def audit_data_type_refs(
    shared: SharedOptions,
    paths: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="PATH",
            help="Files and directories to read (default: the current directory, "
            "or none with --database).",
            show_default=False,
        ),
    ] = None,
    *,
    database: Annotated[
        bool,
        typer.Option("--database", help="Look into the database; at PATHs only if there are any."),
    ] = False,
    column: Annotated[
        str, typer.Option("--column", metavar="NAME", help="The column that is looked for.")
    ] = DATA_TYPE,
    table: Annotated[
        list[str] | None,
        typer.Option(
            "--table",
            metavar="NAME",
            help="A table that has it: table or schema.table; may be repeated (default: the "
            "configured table and its archive).",
            show_default=False,
        ),
        Instead(lambda names: names[0] if names else None),
    ] = None,
    fail_on: Annotated[
        Literal["certain", "likely", "possible"],
        typer.Option("--fail-on", help="How sure a reference must be for exit code 1."),
    ] = "likely",
    baseline: Annotated[
        Path | None,
        typer.Option(
            "--baseline",
            metavar="FILE",
            help="What is known already, and doesn't count.",
            show_default=False,
        ),
    ] = None,
    write_baseline: Annotated[
        Path | None,
        typer.Option(
            "--write-baseline",
            metavar="FILE",
            help="Write all that is found as a baseline.",
            show_default=False,
        ),
    ] = None,
    everything: Annotated[
        bool, typer.Option("--all", help="Show what is unrelated or skipped, one by one.")
    ] = False,
) -> Result:
    """Find what still reads or writes data_type, in code and in the database.

    Code is read as what it is, and SQL in it resolved to its tables; no database is needed. Only
    references in code and tests count for the exit code, not those in migrations and prose.
    """
    from memory_maintenance.audit import baseline as baselines
    from memory_maintenance.audit.result import AuditResult, Stale
    from memory_maintenance.cli.opening import load_configuration

    began = monotonic()
    subject = _subject(load_configuration(shared), column, table or [])
    if write_baseline is not None:
        # Rather now than after all has been read.
        baselines.place_for(write_baseline)
    known = baselines.NOTHING_KNOWN if baseline is None else baselines.load(baseline, subject)
    read = paths or ([] if database else ["."])
    report = _read(read, subject, [baseline, write_baseline])
    found = baselines.split(report.findings, known.findings)
    stated = subject.tables if table else subject.tables[:1]
    objects, notes = _objects(shared, subject, stated) if database else ([], [])
    entries = baselines.split_database(objects, known.database)
    if write_baseline is not None:
        text = baselines.text_of(
            subject, [*found.new, *found.known], [*entries.new, *entries.known]
        )
        baselines.write(write_baseline, text)
    return AuditResult(
        command=COMMAND,
        table=subject.label,
        column=subject.column,
        tables=tuple(map(str, subject.tables)),
        paths=tuple(read),
        fail_on=fail_on,
        findings=found.new,
        database=entries.new,
        whole_rows=tuple(report.whole_rows),
        unrelated=tuple(report.unrelated),
        skipped=tuple(report.skipped),
        suppressed=len(report.suppressed),
        baselined=len(found.known) + len(entries.known),
        # What was not looked at is not gone.
        stale=(
            *(Stale(*key) for key in found.stale if read),
            *(Stale(name, kind, "") for name, kind, _ in entries.stale if database),
        ),
        baseline_written=None if write_baseline is None else str(write_baseline),
        files=report.files,
        lines=report.lines,
        ignored=report.ignored,
        notes=(*report.notes, *notes),
        suppressed_findings=tuple(report.suppressed),
        known_findings=found.known,
        known_objects=entries.known,
        everything=everything,
        in_database=database,
        duration_s=monotonic() - began,
    )


def _subject(loaded: Loaded, column: str, tables: Sequence[str]) -> Subject:
    from memory_maintenance.audit.subject import Subject
    from memory_maintenance.model.identifiers import parse_identifier
    from memory_maintenance.model.mapping import TypeMap

    try:
        name = parse_identifier(column)
    except ValueError as error:
        raise UsageError(f"--column {column}: {error}") from None
    types = TypeMap(loaded.settings.data_type) if name == DATA_TYPE else None
    return Subject(name, tuple(dict.fromkeys(_tables(loaded, tables))), types)


def _tables(loaded: Loaded, given: Sequence[str]) -> Iterator[TableName]:
    """The configured table, which the first --table is, and the others; without any its archive.

    Where neither says so, no schema: a table of that name counts in whichever it is.
    """
    from memory_maintenance.audit.subject import TableName
    from memory_maintenance.model.identifiers import (
        MAX_BYTES,
        parse_identifier,
        parse_qualified_name,
    )

    settings = loaded.settings.database
    schema, name = parse_qualified_name(settings.table)
    if settings.schema_ is not None:
        schema = parse_identifier(settings.schema_)
    yield TableName(schema or "", name)
    if not given and len((name + ARCHIVE_SUFFIX).encode()) <= MAX_BYTES:
        yield TableName(schema or "", name + ARCHIVE_SUFFIX)
    for text in given[1:]:
        try:
            own, name = parse_qualified_name(text)
        except ValueError as error:
            raise UsageError(f"--table {text}: {error}") from None
        yield TableName(own or schema or "", name)


def _read(paths: Sequence[str], subject: Subject, baselines: Sequence[Path | None]) -> Report:
    from memory_maintenance.audit.scan import audit

    # A baseline has the lines that it knows in it.
    own = [os.path.realpath(path) for path in baselines if path is not None]
    return audit(paths, subject, leave_out=own)


def _objects(
    shared: SharedOptions, subject: Subject, stated: Sequence[TableName]
) -> tuple[list[DatabaseEntry], list[str]]:
    """What the database has, and notes on what it hasn't. stated: tables that were asked for by name."""
    from memory_maintenance.audit.candidate import Kind
    from memory_maintenance.audit.catalog import database_findings, tables_of
    from memory_maintenance.audit.findings import DatabaseEntry
    from memory_maintenance.audit.suggestions import suggestion_for
    from memory_maintenance.cli.opening import opened
    from memory_maintenance.database.relation import resolve

    with opened(shared, COMMAND) as o:
        schema, name = o.loaded.settings.database.qualified_table
        tables = tables_of(o.session, schema, subject)
        first = tables[subject.tables[0]]
        if not any(found.schema == schema and found.is_table for found in first):
            # It says what is there instead. What else a run would ask of a table, reading doesn't.
            resolve(o.session, schema, name, keyless=True)
        entries = [
            DatabaseEntry(
                found.object,
                found.kind,
                found.confidence.name.lower(),
                found.definition,
                found.why,
                found.suggestion or suggestion_for(subject, Kind.READ),
                found.owned,
            )
            for found in database_findings(o.session, schema, subject)
        ]
    return entries, list(_absences(tables, subject.column, stated))


def _absences(
    tables: Mapping[TableName, Sequence[FoundTable]], column: str, stated: Sequence[TableName]
) -> Iterator[str]:
    for wanted, found in tables.items():
        if not found and wanted in stated:
            yield f"there is no table {wanted} in the database"
        for table in found:
            if not table.has_column:
                yield f"{table.label} has no column {column} in the database"
