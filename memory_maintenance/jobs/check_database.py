"""``check-config --database``: is the database fit for what the configuration asks?

Reads only. What is missing makes the outcome FINDINGS; each finding says what to type.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from memory_maintenance.database import guards, projection, schema
from memory_maintenance.database import relation as relations
from memory_maintenance.database.disturbing import clock_triggers
from memory_maintenance.database.relation import Relation
from memory_maintenance.engine import ledger
from memory_maintenance.engine.run import Run
from memory_maintenance.errors import MaintenanceError, UsageError
from memory_maintenance.jobs.recall_checks import recall_findings
from memory_maintenance.model.mapping import TypeMap
from memory_maintenance.model.result import Block, Column, Note, Outcome, Result, Table


@dataclass(frozen=True, slots=True)
class Check:
    """One thing looked at. state: "ok", "missing" (a run would fail) or "note". mend: what to do."""

    name: str
    state: Literal["ok", "missing", "note"]
    detail: str
    mend: str | None = None


@dataclass(frozen=True, slots=True)
class _Known:
    known: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckDatabaseResult(Result):
    """What was looked at, in order."""

    checks: tuple[Check, ...]

    @property
    def outcome(self) -> Outcome:
        missing = any(check.state == "missing" for check in self.checks)
        return Outcome.FINDINGS if missing else Outcome.DONE

    def blocks(self) -> Sequence[Block]:
        """A table, then what to do about what is missing."""
        rows = tuple((c.name, c.state, c.detail) for c in self.checks)
        table = Table((Column("what"), Column("state"), Column("found")), rows)
        notes = [
            Note(f"{c.name}: {c.detail}" + ("" if c.mend is None else f"; {c.mend}"), "problem")
            for c in self.checks
            if c.state == "missing"
        ]
        return (table, *notes)


def check_database(run: Run) -> CheckDatabaseResult:
    """Looks at server, table, columns, our schema, rights, zone, adoption, guards and others' triggers."""
    session = run.session
    server = session.server
    version = f"{server.server_version // 10000}.{server.server_version % 10000}"
    checks = [
        Check("server", "ok", f"PostgreSQL {version}, {session.target.display}"),
        Check("role", "ok", f"{server.role} in database {server.database}"),
    ]
    if server.read_only:
        checks.append(
            Check(
                "writing",
                "missing",
                "the server or this database is read-only: report works here, run doesn't",
                "connect to the primary, or ALTER DATABASE ... RESET default_transaction_read_only",
            )
        )
    relation: Relation | None = None
    try:
        relation = relations.resolve(session, *run.settings.database.qualified_table)
    except UsageError as error:
        checks.append(_missing("table", error))
    if relation is not None:
        checks += _table(run, relation)
    return CheckDatabaseResult(
        command="check-config",
        as_of=run.as_of,
        table=None if relation is None else relation.label,
        duration_s=run.duration_s,
        checks=tuple(checks),
    )


def _table(run: Run, relation: Relation) -> list[Check]:
    session, facts = run.session, (relation.schema, relation.name)
    key = relation.columns[relation.key]
    checks = [
        Check("table", "ok", f"{relation.qualified}, key {key.name} ({key.full_type})"),
    ]
    if not relation.can_select or not relation.can_update:
        what = f"role {session.server.role} may not read and update the table"
        grant = f"GRANT SELECT, UPDATE ON {relation.qualified} TO that role"
        checks.append(Check("privileges", "missing", what, grant))
    else:
        checks.append(Check("privileges", "ok", "SELECT and UPDATE on the table"))
    if relation.rows_hidden:
        checks.append(
            Check(
                "row security",
                "missing",
                "a policy hides rows from this role, and maintenance refuses to see half a table",
                f"connect as a role with BYPASSRLS, or ALTER TABLE {relation.qualified} NO FORCE ROW "
                "LEVEL SECURITY for its owner",
            )
        )
    checks.append(_attempt("columns", "all there", lambda: projection.require_columns(relation)))
    # Without rights our schema can't be looked at: then that is what is missing.
    ours = _rights(run)
    if ours is None:
        ours = _attempt("our schema", "up to date", lambda: schema.require(session, facts))
    checks += [ours, _zone(run)]
    if ours.state == "ok":
        checks.append(_adoption(run))
        checks.append(_guards(run, relation))
        checks += [_intruder(one) for one in guards.intruders(session, relation)]
        if relation.has("confidence", *projection.OURS):
            checks += [Check("recall", *finding) for finding in recall_findings(run, relation)]
    checks += [Check("trigger", "note", text) for text in clock_triggers(session, relation)]
    return checks


@dataclass(frozen=True, slots=True)
class _Right:
    name: str
    lacking: str


def _rights(run: Run) -> Check | None:
    """What this role lacks of the rights that a run needs in our schema; None where nothing."""
    lacking = run.session.rows(_Right, "catalog/rights")
    if not lacking:
        return None
    what = "; ".join(f"{right.lacking} on {right.name}" for right in lacking)
    return Check(
        "our schema",
        "missing",
        f"role {run.session.server.role} lacks {what}",
        "grant them as the README says, or connect as the role that migrated",
    )


def _zone(run: Run) -> Check:
    session = run.session
    try:
        zone = session.zoneless_timezone
    except UsageError as error:
        return _missing("zone-less columns", error)
    known = session.row(_Known, "catalog/zone_known", {"zone": zone})
    origin = "configured" if run.settings.database.zoneless_timezone else "the database's default"
    if known is None or not known.known:
        return Check(
            "zone-less columns",
            "missing",
            f"the server knows no time zone {zone} ({origin})",
            "set database.zoneless_timezone to one of pg_timezone_names",
        )
    return Check("zone-less columns", "ok", f"read in {zone} ({origin})")


def _adoption(run: Run) -> Check:
    at = ledger.adopted_at(run.session, run.table)
    if at is None:
        how = run.settings.confidence.adopt
        return Check("adoption", "note", f"not yet: the first decay will adopt it ({how})")
    return Check("adoption", "ok", "history counts" if at == "-infinity" else f"adopted at {at}")


def _guards(run: Run, relation: Relation) -> Check:
    """Whether what the database itself refuses, it does refuse (spec 6, 7)."""
    session = run.session
    faults = [f"the function {name} was altered" for name in guards.altered_functions(session)]
    present = guards.read(session, relation)
    known = {found.place: found for found in present}
    for guard in guards.wanted(session, relation, TypeMap(run.settings.data_type)):
        found = known.get(guard.place)
        if found is None:
            faults.append(f"{guard.name} on {guard.table} is missing")
        elif not guards.is_current(guard, found):
            faults.append(f"{guard.name} on {guard.table} is not as it should be")
    faults += [f"{f.name} on {f.table} is disabled" for f in present if not f.fires]
    if not faults:
        which = (
            "moods and decisions"
            if guards.has_decisions(relation)
            else "moods; no data for decisions"
        )
        return Check("guards", "ok", f"in force, for {which}")
    # Functions come from the numbered files, each of which is installed once.
    mend = "memory-maintenance migrate-types"
    if any(fault.startswith("the function") for fault in faults):
        mend += "; functions: execute them again from sql/schema/0005_guards.sql"
    return Check("guards", "missing", "; ".join(faults), mend)


def _intruder(one: guards.Intruder) -> Check:
    place = (
        f"the trigger {one.trigger} on {one.table} ({one.function}) may set what the guards look at"
    )
    if one.later:
        return Check(
            "trigger",
            "note",
            f"{place}, after they did: unseen; rename it to sort before memory_maintenance",
        )
    return Check("trigger", "note", f"{place}; it fires before them, and they see it")


def _attempt(name: str, fine: str, look: Callable[[], None]) -> Check:
    try:
        look()
    except MaintenanceError as error:
        return _missing(name, error)
    return Check(name, "ok", fine)


def _missing(name: str, error: MaintenanceError) -> Check:
    return Check(name, "missing", error.message, error.remedy)
