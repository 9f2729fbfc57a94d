"""``importance score``: has a model score the facts whose importance nobody has scored (spec 4).

The database is read and written in the main thread, batch by batch; others only ask. Each answer is stored in
a transaction of its own as it comes, so that a run that is killed loses what was under way and nothing else.
No run lock: rows are locked alone, and whoever scores a fact first has scored it.
"""

from __future__ import annotations

import logging
import math
import os
import threading
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Final, TypeVar

import psycopg

from memory_maintenance.config.models import ScoringSettings, Settings
from memory_maintenance.database.relation import Relation
from memory_maintenance.database.session import Session
from memory_maintenance.database.sqlstate import translated
from memory_maintenance.engine import retry
from memory_maintenance.engine.run import Emit, silent
from memory_maintenance.engine.signals import Signalled, raising
from memory_maintenance.errors import Interrupted, MaintenanceError, Unavailable, UsageError
from memory_maintenance.extraction import scoring_rows as rows
from memory_maintenance.extraction.scoring_answer import Tokens
from memory_maintenance.extraction.scoring_asking import Answer, Asking, Ceiling, Means
from memory_maintenance.extraction.scoring_endpoint import client, endpoint
from memory_maintenance.extraction.scoring_prompt import messages
from memory_maintenance.extraction.scoring_result import Message, ScoreResult
from memory_maintenance.extraction.scoring_threads import Answered, Threads

_log = logging.getLogger(__name__)
T = TypeVar("T")

_IN_VAIN: Final = 5
"""So many batches without a single score, none before them, and the model won't score others either."""

_UNANSWERED: Final = 3
"""So many batches in a row that nobody answered, and the endpoint is taken to be gone."""


@dataclass(frozen=True, slots=True)
class ScoreOptions:
    """max_requests: None for the configured ceiling. include_private: send what isn't public, too.

    wait: in the place of waiting before a request is repeated, for tests.
    """

    max_requests: int | None = None
    include_private: bool = False
    dry_run: bool = False
    wait: Callable[[float], object] | None = None


def score(
    session: Session,
    settings: Settings,
    options: ScoreOptions,
    *,
    environ: Mapping[str, str] = os.environ,
    emit: Emit = silent,
) -> ScoreResult:
    """Scores what is to be scored, the newest facts first, until there is none or the ceiling is reached.

    environ: holds the key. Raises UsageError where the endpoint isn't configured, or refuses key, address or
    model; Unavailable where it never answers; Interrupted on a signal, once what was answered is stored.
    """
    began = time.monotonic()
    with translated(session.target.scrub), raising():
        try:
            result = (
                _foreseen(session, settings, options)
                if options.dry_run
                else _scored(session, settings, options, environ, emit)
            )
        except Signalled as signalled:
            raise Interrupted(signalled.signal_number) from None
    return replace(result, duration_s=round(time.monotonic() - began, 6))


def _result(
    settings: ScoringSettings,
    options: ScoreOptions,
    relation: Relation,
    counts: rows.Counts,
    **fields: Any,
) -> ScoreResult:
    notes: tuple[str, ...] = ()
    if counts.held_back:
        notes = ("facts that aren't public were held back; --include-private sends them too",)
    return ScoreResult(
        command="importance-score",
        table=relation.label,
        dry_run=options.dry_run,
        endpoint=settings.base_url,
        model=settings.model,
        include_private=options.include_private,
        batch_size=settings.batch_size,
        ceiling=options.max_requests or settings.max_requests,
        remaining=counts.shown,
        held_back=counts.held_back,
        **{"notes": notes, **fields},
    )


def _foreseen(session: Session, settings: Settings, options: ScoreOptions) -> ScoreResult:
    """What a run would send. It needs neither endpoint nor key."""
    scoring, private = settings.scoring, options.include_private
    at = session.clock()
    with session.snapshot():
        relation = rows.table(session, settings, writing=False)
        with session.facts_path(relation.schema):
            counts = rows.count(session, relation, include_private=private)
            first = rows.following(
                session, relation, None, scoring.batch_size, include_private=private
            )
    prompt = tuple(Message(**m) for m in messages([f.said for f in first])) if first else ()
    needed = math.ceil(counts.shown / scoring.batch_size)
    result = _result(
        scoring,
        options,
        relation,
        counts,
        as_of=at,
        requests=min(needed, options.max_requests or scoring.max_requests),
        unscored={},
        prompt=prompt,
    )
    if scoring.base_url is None or scoring.model is None:
        off = "nothing is sent before scoring.base_url and scoring.model are set in the YAML file"
        result = replace(result, notes=(*result.notes, off))
    return result


def _scored(
    session: Session,
    settings: Settings,
    options: ScoreOptions,
    environ: Mapping[str, str],
    emit: Emit,
) -> ScoreResult:
    scoring = settings.scoring
    to = endpoint(scoring, environ)
    relation = rows.table(session, settings, writing=True)
    at = session.clock()
    scorer = _Scorer(session, relation, scoring, options, emit)
    http = client(to, scoring.concurrency)
    stopping = threading.Event()
    means = Means(wait=options.wait or stopping.wait, stopping=stopping.is_set)
    asking = Asking(to, http, scorer.ceiling, means, retries=scoring.retries)
    threads = Threads(lambda facts: asking.ask([f.said for f in facts]), scoring.concurrency)
    try:
        scorer.work(threads, stopping)
    finally:
        stopping.set()
        threads.end()
        # After a signal they may be at it still: then what they use is left to the end of the process.
        if threads.under_way == 0:
            threads.join()
            http.close()
    return scorer.result(at)


class _Scorer:
    """One run: what is read, asked about and stored, and what it came to."""

    def __init__(
        self,
        session: Session,
        relation: Relation,
        settings: ScoringSettings,
        options: ScoreOptions,
        emit: Emit,
    ) -> None:
        self._session = session
        self._relation = relation
        self._settings = settings
        self._options = options
        self._emit = emit
        self.ceiling = Ceiling(options.max_requests or settings.max_requests)
        self._before: Any = None
        self._total = 0
        self._scored = 0
        self._unscored: Counter[str] = Counter()
        self._tokens: Tokens | None = None
        self._answered = 0
        self._in_vain = 0
        self._unanswered = 0
        self._stopped: str | None = None
        self._error: BaseException | None = None

    def work(self, threads: Threads, stopping: threading.Event) -> None:
        """Asks and stores until nothing is left to ask about; what was under way then is stored too."""
        self._total = self._counts().shown
        try:
            more = True
            while True:
                ending = self._stopped is not None or self._error is not None
                if ending:
                    stopping.set()
                # Alone at first: a wrong key is refused once, and the form looked for once.
                at_once = self._settings.concurrency if self._answered else 1
                while more and not ending and threads.under_way < at_once:
                    facts = [] if self.ceiling.reached else self._following()
                    if more := bool(facts):
                        threads.put(facts)
                if threads.under_way == 0:
                    break
                self._take(threads.wait())
                threads.answered.popleft()
        except Signalled:
            self._keep(list(threads.answered))
            raise
        if self._error is not None:
            if self._scored and isinstance(self._error, UsageError):
                said = f"{self._error.message} (after {self._scored:,} facts were scored)"
                raise UsageError(said, remedy=self._error.remedy)
            raise self._error

    def result(self, at: datetime) -> ScoreResult:
        """at: when the run began."""
        counts = self._counts()
        result = _result(
            self._settings,
            self._options,
            self._relation,
            counts,
            as_of=at,
            requests=self.ceiling.requests,
            retries=self.ceiling.retries,
            scored=self._scored,
            unscored=dict(sorted(self._unscored.items())),
            tokens=self._tokens,
            stopped=self._stopped,
        )
        if self.ceiling.reached and counts.shown and self._stopped is None:
            reached = "no more requests were allowed (scoring.max_requests, --max-requests)"
            result = replace(result, notes=(reached, *result.notes))
        return result

    def _take(self, came: Answered) -> None:
        """Stores what an answer scores, and counts what it doesn't."""
        answer = came.answer
        if answer.end == "stop":
            self._error = self._error or answer.error
            return
        if answer.end == "ceiling":
            return
        self._unscored.update(answer.reading.unscored.values())
        if answer.reading.tokens is not None:
            self._tokens = (self._tokens or Tokens()) + answer.reading.tokens
        if answer.reading.scores:
            stored = self._store(came)
            self._scored += stored
            if overtaken := len(answer.reading.scores) - stored:
                self._unscored["changed"] += overtaken
        self._judge(answer)
        self._emit(self._scored + self._unscored.total(), self._total, "importance")

    def _judge(self, answer: Answer) -> None:
        """Whether to go on after this answer."""
        self._answered += answer.end != "no-answer"
        self._unanswered = self._unanswered + 1 if answer.end == "no-answer" else 0
        self._in_vain += not answer.reading.scores
        if answer.end == "no-answer" and not self._answered:
            self._error = self._error or Unavailable(
                answer.words,
                remedy="see whether it runs, and check scoring.base_url; scoring.timeout may be too short",
            )
        elif self._unanswered >= _UNANSWERED:
            self._stopped = f"stopped, since nobody answers any more: {answer.words}"
        elif self._in_vain >= _IN_VAIN and not self._scored:
            said = answer.words or "see the reasons above"
            self._stopped = f"stopped after {self._in_vain} requests without a score: {said}"

    def _keep(self, came: Sequence[Answered]) -> None:
        """Stores what was answered before a signal, as far as the server lets it."""
        for one in came:
            if one.answer.reading.scores:
                try:
                    self._session.leave_transaction()
                    self._store(one, retry.Patience(attempts=1))
                except (psycopg.Error, MaintenanceError) as error:
                    _log.warning("an answer is lost: %s", type(error).__name__)

    def _store(self, came: Answered, patience: retry.Patience = retry.BATCH) -> int:
        """Of how many facts the scores were stored."""
        scores = came.answer.reading.scores
        scored = [
            (fact, scores[place])
            for place, fact in enumerate(came.facts, start=1)
            if place in scores
        ]
        return self._transaction(
            lambda: rows.write(self._session, self._relation, scored, at=self._session.clock()),
            patience,
        )

    def _following(self) -> Sequence[rows.Fact]:
        private = self._options.include_private
        facts = self._transaction(
            lambda: rows.following(
                self._session,
                self._relation,
                self._before,
                self._settings.batch_size,
                include_private=private,
            )
        )
        if facts:
            self._before = facts[-1].key
        return facts

    def _counts(self) -> rows.Counts:
        private = self._options.include_private
        return self._transaction(
            lambda: rows.count(self._session, self._relation, include_private=private)
        )

    def _transaction(self, work: Callable[[], T], patience: retry.Patience = retry.BATCH) -> T:
        return retry.transaction(
            self._session,
            work,
            reconnect=self._session.reconnect,
            patience=patience,
            facts_in=self._relation.schema,
        )
