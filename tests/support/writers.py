"""Agents that write to a memory while something else happens to it: real processes, at full speed.

An old-style writer names ``data_type`` or nothing, a new-style one ``durability`` and ``category``; both name
their columns, prepare their statements as a driver does, have no right but DML, and mix autocommit with short
transactions that touch facts in any order. Each has facts of its own, so that its log alone says what has
become of them: those it inserted, and a share of those that were there before.
"""

from __future__ import annotations

import heapq
import multiprocessing
import os
import random
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from multiprocessing.connection import Connection as Pipe
from multiprocessing.context import SpawnProcess
from multiprocessing.synchronize import Event
from typing import Any, Final, Literal, NamedTuple

import psycopg
from psycopg.conninfo import make_conninfo

from tests.support import legacy
from tests.support.waiting import wait_until

Style = Literal["old", "new"]
UNSAID: Final = "(not named)"
"""Stands for a data_type that a statement does not name; None is NULL."""

_START_WITHIN_S = 120
_STOP_WITHIN_S = 60
_WORST = 20
_OLD_TYPES = ("permanent", "identity", "preference", "temporal", "observation", None)
# No moods: their durability is guarded, and a refusal would be an error that the writer deserves.
_AXES = (
    ("permanent", "identity"),
    ("permanent", "preference"),
    ("long_term", "preference"),
    ("long_term", "observation"),
    ("long_term", "routine"),
    ("short_term", "state"),
    ("short_term", "obligation"),
    ("ephemeral", "observation"),
)


class Write(NamedTuple):
    """What a committed statement did to a fact. None: left as it was, or as its default has it."""

    what: Literal["insert", "update", "delete"]
    data_type: str | None = UNSAID
    durability: str | None = None
    category: str | None = None
    value: str | None = None


class Wait(NamedTuple):
    """How long a statement took. at: seconds on the machine's monotonic clock when it began."""

    seconds: float
    at: float
    kind: str


class Failure(NamedTuple):
    """An error that a writer saw, or a fact of its own that it did not find (sqlstate "lost")."""

    kind: str
    error: str
    sqlstate: str | None
    message: str
    phase: int


@dataclass(frozen=True, slots=True)
class Log:
    """What a writer did. writes: by fact, in order, committed ones only. statements, worst: by phase."""

    style: Style
    number: int
    writes: Mapping[int, Sequence[Write]]
    failures: Sequence[Failure]
    statements: Mapping[int, int]
    worst: Mapping[int, Sequence[Wait]]


@dataclass(frozen=True, slots=True)
class _Task:
    """number: of writers, from 0. rows: the keys 1 to rows were there before."""

    dsn: str
    style: Style
    number: int
    writers: int
    rows: int


@dataclass(frozen=True, slots=True)
class _Signals:
    stop: Event
    phase: Any  # the number of the phase, a shared integer
    statements: Any  # statements so far, by writer, shared integers


@dataclass(slots=True)
class _Running:
    task: _Task
    process: SpawnProcess
    stop: Event
    pipe: Pipe
    log: Log | None = None


@dataclass(slots=True)
class Writers:
    """Writers at work. phases: the names of what they have seen, by number."""

    phases: list[str]
    _running: list[_Running]
    _phase: Any
    _statements: Any
    failed_to_start: list[str] = field(default_factory=list)

    def enter(self, phase: str) -> None:
        """From now on, statements count for this phase."""
        self.phases.append(phase)
        self._phase.value = len(self.phases) - 1

    def see_through(self, statements: int, style: Style) -> None:
        """Waits until each writer of this style has done that many statements more, or has stopped."""
        goals = {
            one.task.number: self._statements[one.task.number] + statements
            for one in self._running
            if one.task.style == style
        }

        def done() -> bool:
            dead = [one for one in self._running if not one.process.is_alive() and one.log is None]
            assert not dead, f"writer {dead[0].task.number} died: {dead[0].process.exitcode}"
            return all(
                self._statements[number] >= goal or self._running[number].log is not None
                for number, goal in goals.items()
            )

        wait_until(done, _START_WITHIN_S)

    def stop(self, *styles: Style) -> None:
        """Has the writers of these styles finish what they are at, and takes their logs."""
        chosen = [one for one in self._running if one.task.style in styles and one.log is None]
        for one in chosen:
            one.stop.set()
        for one in chosen:
            assert one.pipe.poll(_STOP_WITHIN_S), f"writer {one.task.number} does not stop"
            one.log = one.pipe.recv()
            one.process.join()

    @property
    def logs(self) -> list[Log]:
        """The logs of those that were stopped."""
        return [one.log for one in self._running if one.log is not None]

    def kill(self) -> None:
        """Ends what still runs."""
        for one in self._running:
            if one.process.is_alive():
                one.process.kill()
            one.process.join()
            one.pipe.close()


@contextmanager
def writing(dsn: str, styles: Sequence[Style], rows: int, phase: str) -> Iterator[Writers]:
    """Starts writers as ``legacy.AGENT``. Old-style ones begin at once, new-style ones when the axes are
    there. rows: the facts 1 to rows are shared out among them. phase: the name of what comes first."""
    spawn = multiprocessing.get_context("spawn")
    shared_phase = spawn.RawValue("i", 0)
    statements = spawn.RawArray("q", len(styles))
    running = []
    for number, style in enumerate(styles):
        task = _Task(
            make_conninfo(dsn, options=f"-c role={legacy.AGENT}"), style, number, len(styles), rows
        )
        stop = spawn.Event()
        here, there = spawn.Pipe(duplex=False)
        process = spawn.Process(
            target=_work, args=(task, _Signals(stop, shared_phase, statements), there), daemon=True
        )
        process.start()
        there.close()
        running.append(_Running(task, process, stop, here))
    writers = Writers([phase], running, shared_phase, statements)
    try:
        yield writers
    finally:
        writers.kill()


def _work(task: _Task, signals: _Signals, log_to: Pipe) -> None:
    """The process."""
    with psycopg.connect(
        task.dsn, autocommit=True, application_name=f"{task.style} {task.number}"
    ) as conn:
        writer = (_OldStyle if task.style == "old" else _NewStyle)(task, signals, conn)
        writer.work()
    log_to.send(writer.log())


class _UselessError(Exception):
    """The connection is of no use any more."""


class _Writer:
    """What both styles share."""

    def __init__(self, task: _Task, signals: _Signals, conn: psycopg.Connection[Any]) -> None:
        self.task = task
        self.signals = signals
        self.conn = conn
        self.random = random.Random(task.number)
        self.writes: dict[int, list[Write]] = {}
        self.own: list[int] = []
        self.gone: set[int] = set()
        self.failures: list[Failure] = []
        self.statements: dict[int, int] = {}
        self.worst: dict[int, list[Wait]] = {}
        self.written = 0
        kinds = self.kinds()
        self._kinds = [kind for kind, _ in kinds]
        self._weights = [weight for _, weight in kinds]
        self._parent = os.getppid()

    def kinds(self) -> list[tuple[Callable[[], list[tuple[int, Write]]], int]]:
        """What it does, and how often."""
        raise NotImplementedError

    def ready(self) -> bool:
        """Whether it can begin."""
        return True

    def log(self) -> Log:
        """What it did."""
        worst = {phase: sorted(waits, reverse=True) for phase, waits in self.worst.items()}
        return Log(
            self.task.style,
            self.task.number,
            self.writes,
            self.failures,
            self.statements,
            worst,
        )

    def work(self) -> None:
        """Writes until it is told to stop, or nobody is left who could."""
        wait_until(lambda: self.signals.stop.is_set() or self.ready(), _START_WITHIN_S)
        while not self.signals.stop.is_set() and os.getppid() == self._parent:
            try:
                if self.random.random() < 0.5:
                    self.note(self.one())
                else:
                    self.several()
            except _UselessError:
                return

    def several(self) -> None:
        """A short transaction; one in thirty is taken back."""
        self.execute("BEGIN", "BEGIN")
        done: list[tuple[int, Write]] = []
        for _ in range(self.random.randint(2, 4)):
            wrote = self.one()
            if self.conn.info.transaction_status is not psycopg.pq.TransactionStatus.INTRANS:
                self.execute("ROLLBACK", "ROLLBACK")
                self.gone -= {fact for fact, write in done if write.what == "delete"}
                return
            done += wrote
        if self.random.random() < 1 / 30:
            self.execute("ROLLBACK", "ROLLBACK")
            self.gone -= {fact for fact, write in done if write.what == "delete"}
        elif self.execute("COMMIT", "COMMIT") is not None:
            self.note(done)

    def one(self) -> list[tuple[int, Write]]:
        """One statement; what it did, once that is committed."""
        (kind,) = self.random.choices(self._kinds, self._weights)
        return kind()

    def note(self, wrote: Iterable[tuple[int, Write]]) -> None:
        """Notes what is committed now."""
        for fact, write in wrote:
            if write.what == "insert":
                self.own.append(fact)
            self.writes.setdefault(fact, []).append(write)

    def execute(
        self, kind: str, statement: str, *params: Any
    ) -> psycopg.Cursor[tuple[Any, ...]] | None:
        """The cursor; None after an error, which is noted."""
        phase = self.signals.phase.value
        began = time.monotonic()
        try:
            cursor = self.conn.execute(statement.encode(), params, prepare=kind.islower())
        except psycopg.Error as error:
            self.fail(kind, error, phase)
            cursor = None
        wait = Wait(time.monotonic() - began, began, kind)
        worst = self.worst.setdefault(phase, [])
        if len(worst) < _WORST:
            heapq.heappush(worst, wait)
        elif wait > worst[0]:
            heapq.heapreplace(worst, wait)
        self.statements[phase] = self.statements.get(phase, 0) + 1
        self.signals.statements[self.task.number] += 1
        return cursor

    def fail(self, kind: str, error: psycopg.Error, phase: int) -> None:
        """Notes an error."""
        name = type(error).__name__
        self.failures.append(Failure(kind, name, error.sqlstate, str(error), phase))
        if self.conn.closed:
            raise _UselessError

    def pick(self) -> int:
        """A fact of its own that lives."""
        while True:
            if self.own and self.random.random() < 0.5:
                fact = self.random.choice(self.own)
            else:
                share = self.task.rows // self.task.writers
                fact = self.random.randrange(share) * self.task.writers + self.task.number + 1
            if fact not in self.gone:
                return fact

    def value(self) -> str:
        """A value that nobody else writes."""
        self.written += 1
        return f"writer {self.task.number} wrote {self.written}"

    def change(
        self, kind: str, statement: str, *params: Any, wrote: Write | None = None
    ) -> list[tuple[int, Write]]:
        """Changes one fact of its own, whose key is the last parameter, and which must be there."""
        fact = params[-1]
        cursor = self.execute(kind, statement, *params)
        if cursor is None:
            return []
        if cursor.rowcount != 1:
            phase = self.signals.phase.value
            text = f"fact {fact}: {cursor.rowcount} rows"
            self.failures.append(Failure(kind, "", "lost", text, phase))
        if wrote is None:
            return []
        if wrote.what == "delete":
            self.gone.add(fact)
        return [(fact, wrote)]

    def add(self, kind: str, statement: str, *params: Any, wrote: Write) -> list[tuple[int, Write]]:
        """Inserts a fact."""
        cursor = self.execute(kind, statement, *params)
        row = None if cursor is None else cursor.fetchone()
        return [] if row is None else [(row[0], wrote)]

    def set_value(self) -> list[tuple[int, Write]]:
        value = self.value()
        return self.change(
            "update value",
            "UPDATE entity_facts SET value = %s, updated_at = now() WHERE id = %s",
            value,
            self.pick(),
            wrote=Write("update", value=value),
        )

    def reinforce(self) -> list[tuple[int, Write]]:
        return self.change(
            "update confidence",
            "UPDATE entity_facts SET confidence = %s, last_confirmed_at = now(),"
            " confirmation_count = confirmation_count + 1 WHERE id = %s",
            self.random.random(),
            self.pick(),
        )

    def delete(self) -> list[tuple[int, Write]]:
        fact = self.pick()
        return self.change(
            "delete", "DELETE FROM entity_facts WHERE id = %s", fact, wrote=Write("delete")
        )

    def read(self) -> list[tuple[int, Write]]:
        self.execute(
            "select from a view",
            "SELECT key, value, data_type FROM delegation_knowledge WHERE id = %s",
            self.pick(),
        )
        return []


class _OldStyle(_Writer):
    def kinds(self) -> list[tuple[Callable[[], list[tuple[int, Write]]], int]]:
        return [
            (self.insert, 12),
            (self.insert_plainly, 8),
            (self.set_type, 25),
            (self.upsert, 15),
            (self.set_value, 10),
            (self.reinforce, 15),
            (self.delete, 8),
            (self.read, 7),
        ]

    def insert(self) -> list[tuple[int, Write]]:
        data_type, value = self.random.choice(_OLD_TYPES), self.value()
        return self.add(
            "insert data_type",
            "INSERT INTO entity_facts (key, value, data_type) VALUES ('note', %s, %s) RETURNING id",
            value,
            data_type,
            wrote=Write("insert", data_type, value=value),
        )

    def insert_plainly(self) -> list[tuple[int, Write]]:
        value = self.value()
        return self.add(
            "insert",
            "INSERT INTO entity_facts (key, value, confidence) VALUES ('note', %s, 0.9) RETURNING id",
            value,
            wrote=Write("insert", value=value),
        )

    def set_type(self) -> list[tuple[int, Write]]:
        data_type = self.random.choice(_OLD_TYPES)
        return self.change(
            "update data_type",
            "UPDATE entity_facts SET data_type = %s WHERE id = %s",
            data_type,
            self.pick(),
            wrote=Write("update", data_type),
        )

    def upsert(self) -> list[tuple[int, Write]]:
        fact, data_type, value = self.pick(), self.random.choice(_OLD_TYPES), self.value()
        return self.change(
            "upsert data_type",
            "INSERT INTO entity_facts (key, value, data_type, id) VALUES ('note', %s, %s, %s)"
            " ON CONFLICT (id) DO UPDATE SET value = EXCLUDED.value, data_type = EXCLUDED.data_type",
            value,
            data_type,
            fact,
            wrote=Write("update", data_type, value=value),
        )


class _NewStyle(_Writer):
    def ready(self) -> bool:
        row = self.conn.execute(
            "SELECT count(*) FROM pg_attribute WHERE attrelid = 'entity_facts'::regclass"
            " AND attname IN ('durability', 'category') AND NOT attisdropped"
        ).fetchone()
        return row == (2,)

    def kinds(self) -> list[tuple[Callable[[], list[tuple[int, Write]]], int]]:
        return [
            (self.insert, 10),
            (self.insert_one_axis, 6),
            (self.set_axes, 20),
            (self.set_one_axis, 14),
            (self.upsert, 15),
            (self.set_value, 10),
            (self.reinforce, 10),
            (self.delete, 8),
            (self.read, 7),
        ]

    def insert(self) -> list[tuple[int, Write]]:
        (durability, category), value = self.random.choice(_AXES), self.value()
        return self.add(
            "insert axes",
            "INSERT INTO entity_facts (key, value, durability, category)"
            " VALUES ('note', %s, %s, %s) RETURNING id",
            value,
            durability,
            category,
            wrote=Write("insert", UNSAID, durability, category, value),
        )

    def insert_one_axis(self) -> list[tuple[int, Write]]:
        (durability, _), value = self.random.choice(_AXES), self.value()
        return self.add(
            "insert durability",
            "INSERT INTO entity_facts (key, value, durability) VALUES ('note', %s, %s) RETURNING id",
            value,
            durability,
            wrote=Write("insert", UNSAID, durability, None, value),
        )

    def set_axes(self) -> list[tuple[int, Write]]:
        durability, category = self.random.choice(_AXES)
        return self.change(
            "update axes",
            "UPDATE entity_facts SET durability = %s, category = %s WHERE id = %s",
            durability,
            category,
            self.pick(),
            wrote=Write("update", UNSAID, durability, category),
        )

    def set_one_axis(self) -> list[tuple[int, Write]]:
        durability, category = self.random.choice(_AXES)
        if self.random.random() < 0.5:
            return self.change(
                "update durability",
                "UPDATE entity_facts SET durability = %s WHERE id = %s",
                durability,
                self.pick(),
                wrote=Write("update", UNSAID, durability),
            )
        return self.change(
            "update category",
            "UPDATE entity_facts SET category = %s WHERE id = %s",
            category,
            self.pick(),
            wrote=Write("update", UNSAID, None, category),
        )

    def upsert(self) -> list[tuple[int, Write]]:
        (durability, category), value = self.random.choice(_AXES), self.value()
        return self.change(
            "upsert axes",
            "INSERT INTO entity_facts (key, value, durability, category, id)"
            " VALUES ('note', %s, %s, %s, %s) ON CONFLICT (id) DO UPDATE SET value = EXCLUDED.value,"
            " durability = EXCLUDED.durability, category = EXCLUDED.category",
            value,
            durability,
            category,
            self.pick(),
            wrote=Write("update", UNSAID, durability, category, value),
        )
