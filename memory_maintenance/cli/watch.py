"""The observers of a command that maintains the table: begun with it, told of its end, whatever that is.

Nothing here fails a command: what goes wrong is logged once, at warning.
"""

from __future__ import annotations

import logging
import os
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from memory_maintenance import __version__
from memory_maintenance.cli.endings import exit_code
from memory_maintenance.cli.secrets import scrubber
from memory_maintenance.errors import ConfigError, MaintenanceError, RunFailed
from memory_maintenance.model.result import Result

if TYPE_CHECKING:
    from memory_maintenance.cli.options import SharedOptions
    from memory_maintenance.config.load import Loaded
    from memory_maintenance.database.session import Session
    from memory_maintenance.database.target import Target
    from memory_maintenance.engine.run import Run
    from memory_maintenance.model.fact_counts import FactCounts
    from memory_maintenance.monitoring.log_tail import LogTail
    from memory_maintenance.monitoring.observed import Ended
    from memory_maintenance.monitoring.pings import Pinger

_log = logging.getLogger(__name__)
_OURS: Final = "memory_maintenance"


class Watch:
    """What a command tells its observers. This one has none, and forgets what it is told."""

    def meant(self, target: Target) -> None:
        """Which database is meant, before it is reached."""

    def began(self, run: Run) -> None:
        """The run has its lock and its row in the ledger."""

    def saw(self, result: Result) -> None:
        """What the command came to."""

    def count(self, session: Session) -> None:
        """The work is done, and the session still there: what can be counted of the table is counted."""


class _Observed(Watch):
    """A command with observers. began_s: of the monotonic clock."""

    def __init__(self, command: str, loaded: Loaded, tail: LogTail, pinger: Pinger | None) -> None:
        self._command = command
        self._loaded = loaded
        self._tail = tail
        self._pinger = pinger
        self._began_s = time.monotonic()
        self._place: Mapping[str, str] = {}
        self._run: Run | None = None
        self._result: Result | None = None
        self._facts: FactCounts | None = None

    def meant(self, target: Target) -> None:
        with _harmless("the database's name"):
            self._place = target.place

    def began(self, run: Run) -> None:
        self._run = run
        if self._pinger is not None:
            with _harmless("the ping of the start"):
                self._pinger.started()

    def saw(self, result: Result) -> None:
        self._result = result

    def count(self, session: Session) -> None:
        if self._loaded.settings.monitoring.textfile_directory is None:
            return
        with _harmless("the facts can't be counted"):
            from memory_maintenance.jobs.fact_counts import count

            self._facts = count(session, self._loaded.settings, self._as_of(session))

    def _as_of(self, session: Session) -> datetime:
        known = None if self._result is None else self._result.as_of
        return known or session.clock()

    def ended(self, error: BaseException | None) -> None:
        """Tells all observers."""
        with _harmless("nobody was told of the end"):
            if error is not None:
                self._tail.add(_told(error))
            self._tell(self._ended(error))

    def _tell(self, ended: Ended) -> None:
        directory = self._loaded.settings.monitoring.textfile_directory
        if directory is not None:
            with _harmless(f"no metrics in {directory}"):
                from memory_maintenance.monitoring.textfile import write

                write(Path(directory), ended)
        if self._pinger is not None:
            with _harmless("the ping of the end"):
                if failures := self._pinger.ended(ended):
                    _log.warning("monitoring: the pings failed: %s", "; ".join(failures))

    def _ended(self, error: BaseException | None) -> Ended:
        from memory_maintenance.database.relation import qualified_name
        from memory_maintenance.monitoring.observed import Ended, Subject

        result, run = self._result, self._run
        counts: Mapping[str, Any] | None = None
        run_id = None
        if result is not None:
            counts, run_id = result.counts(), result.run_id
        elif run is not None:
            counts, run_id = run.counts, run.run_id
        code = 0 if result is None else result.outcome.value
        if error is not None:
            code = exit_code(error)
        table = qualified_name(*self._loaded.settings.database.qualified_table)
        return Ended(
            subject=Subject(self._command, table, **self._place),
            version=__version__,
            exit_code=code,
            ended_at_s=time.time(),
            duration_s=time.monotonic() - self._began_s,
            run_id=run_id,
            counts=counts,
            facts=self._facts,
            tail=self._tail.text(),
        )


@contextmanager
def watching(
    shared: SharedOptions, command: str, loaded: Loaded, *, wanted: bool
) -> Iterator[Watch]:
    """The observers that are configured, for the time of the block. wanted: not of a dry run."""
    observed = _observed(shared, command, loaded) if wanted else None
    if observed is None:
        yield Watch()
        return
    watch, tail = observed
    ours = logging.getLogger(_OURS)
    ours.addHandler(tail)
    ended_by: BaseException | None = None
    try:
        yield watch
    except BaseException as error:
        ended_by = error
        raise
    finally:
        ours.removeHandler(tail)
        watch.ended(ended_by)


def _observed(
    shared: SharedOptions, command: str, loaded: Loaded
) -> tuple[_Observed, LogTail] | None:
    monitoring = loaded.settings.monitoring
    pings = monitoring.ping_url is not None and command in monitoring.ping_commands
    if not pings and monitoring.textfile_directory is None:
        return None
    from memory_maintenance.monitoring.log_tail import LogTail

    tail = LogTail(_scrubber(shared, loaded))
    pinger = None
    with _harmless("the pings"):
        if pings and monitoring.ping_url is not None:
            from memory_maintenance.monitoring.pings import Pinger

            pinger = Pinger(
                monitoring.ping_url.get_secret_value(),
                timeout_s=monitoring.ping_timeout.total_seconds(),
                version=__version__,
            )
    return _Observed(command, loaded, tail, pinger), tail


def _scrubber(shared: SharedOptions, loaded: Loaded) -> Callable[[str], str]:
    """Takes every secret that this call knows out of what others get to see."""
    secret = loaded.settings.database.dsn
    dsns = [shared.dsn, None if secret is None else secret.get_secret_value()]
    arguments = [f"--dsn={dsn}" for dsn in dsns if dsn is not None]
    return scrubber(os.environ, arguments)


def _told(error: BaseException) -> str:
    """An error for somebody elsewhere. The server's words on a statement, those of others' triggers and those
    of an error that nobody foresaw may quote a fact: of them only the kind is told.
    """
    cause = error.__cause__
    in_function = bool(getattr(getattr(cause, "diag", None), "context", None))
    if in_function or (isinstance(error, RunFailed) and cause is not None):
        state = getattr(cause, "sqlstate", None)
        said = f" (SQLSTATE {state})" if state else ""
        return f"error: the server refused a statement{said}; the log on this machine has its words"
    if not isinstance(error, MaintenanceError):
        return f"error: {type(error).__name__}; the log on this machine has more"
    lines = [f"error: {error.message}"]
    if isinstance(error, ConfigError):
        lines += [f"  {problem}" for problem in error.problems]
    if error.remedy:
        lines.append(f"  try: {error.remedy}")
    return "\n".join(lines)


@contextmanager
def _harmless(what: str) -> Iterator[None]:
    """Whatever goes wrong inside is logged, and no more."""
    try:
        yield
    except Exception as error:  # noqa: BLE001 - no failure of monitoring fails a run
        reason = getattr(error, "strerror", None) or type(error).__name__
        _log.warning("monitoring: %s: %s", what, reason)
