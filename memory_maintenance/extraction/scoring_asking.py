"""Asking about one batch: within the ceiling, repeated where that helps, in a form the endpoint takes."""

from __future__ import annotations

import logging
import random
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Final, Literal

import httpx

from memory_maintenance.errors import MaintenanceError, UsageError
from memory_maintenance.extraction.scoring_answer import Reading, nothing, read
from memory_maintenance.extraction.scoring_endpoint import Endpoint, Reply, exchange
from memory_maintenance.extraction.scoring_prompt import FORMS, Form, Said, body

_log = logging.getLogger(__name__)

LONGEST_WAIT_S: Final = 120.0
"""No Retry-After is obeyed for longer: whoever asks for more is asked again by the next run."""

_FIRST_DELAY_S: Final = 1.0
_LONGEST_DELAY_S: Final = 60.0
_LATER: Final = frozenset({408, 425, 429})
_NEVER: Final = frozenset({501, 505})
_UNKNOWN_FORM: Final = frozenset({400, 415, 422})
_HOPELESS: Final = {
    401: ("doesn't accept the key", "check scoring.api_key_env, and the variable that it names"),
    402: ("wants to be paid first", "see to the account there, or choose another model"),
    403: ("doesn't allow it", "check the key, and whether it may use scoring.model"),
    404: (
        "knows no such address or model",
        "check scoring.base_url (it ends before /chat/completions) and scoring.model",
    ),
    405: ("takes no chat completions there", "check scoring.base_url"),
}


@dataclass(frozen=True, slots=True)
class Answer:
    """What asking came to.

    end: "read", or why nothing was: "rejected" (refused for good), "no-answer" (tried to the end), "ceiling"
    (no more may be sent, or the run is ending), "stop" (asking about others would end alike). words: of the
    endpoint, for people. error: for "stop".
    """

    end: Literal["read", "rejected", "no-answer", "ceiling", "stop"]
    reading: Reading = field(default_factory=Reading)
    words: str = ""
    error: BaseException | None = None


class Ceiling:
    """How many requests may still be sent, of all threads together."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._lock = threading.Lock()
        self.requests = 0
        self.retries = 0

    @property
    def reached(self) -> bool:
        """Whether no more may be sent."""
        return self.requests >= self._most

    def take(self, *, again: bool) -> bool:
        """Counts one request in, unless no more may be sent. again: it is a repeated one."""
        with self._lock:
            if self.reached:
                return False
            self.requests += 1
            self.retries += again
            return True


class _Forms:
    """Which form the endpoint takes: looked for once a run, from the strictest on."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._known: Form | None = None

    def to_try(self) -> Sequence[Form]:
        return FORMS if self._known is None else (self._known,)

    def works(self, form: Form) -> None:
        with self._lock:
            if self._known is not None:
                return
            self._known = form
        if form != FORMS[0]:
            _log.info("the endpoint takes no response_format json_schema; %s is used", form)


@dataclass(frozen=True, slots=True)
class Means:
    """What asking needs of the world. wait: lets so many seconds pass; stopping: whether to give up;
    now: the time of day; spread: 0.5 to 1.0, at random."""

    wait: Callable[[float], object]
    stopping: Callable[[], bool]
    now: Callable[[], datetime] = lambda: datetime.now(UTC)
    spread: Callable[[], float] = lambda: random.uniform(0.5, 1.0)  # noqa: S311 - jitter, no secret


class Asking:
    """Asks an endpoint; safe to be used by several threads."""

    def __init__(
        self,
        to: Endpoint,
        http: httpx.Client,
        ceiling: Ceiling,
        means: Means,
        *,
        retries: int,
    ) -> None:
        self._to = to
        self._http = http
        self._ceiling = ceiling
        self._means = means
        self._retries = retries
        self._forms = _Forms()

    def ask(self, facts: Sequence[Said]) -> Answer:
        """Has the facts scored; an answer in any case."""
        answer = Answer("ceiling")
        for form in self._forms.to_try():
            content = body(facts, self._to.model, form, self._to.temperature)
            reply, reading = self._patiently(content, len(facts))
            if (
                reply is None
            ):  # no more may be sent; what was refused in a form before was asked about
                return answer
            if reading is not None:
                self._forms.works(form)
                return Answer("read", reading)
            answer = self._without_answer(reply, len(facts))
            if reply.status not in _UNKNOWN_FORM:
                return answer
        return answer

    def _patiently(self, content: bytes, count: int) -> tuple[Reply | None, Reading | None]:
        """The last reply, and what an answer says; no reply where the ceiling is reached."""
        last: Reply | None = None
        for attempt in range(self._retries + 1):
            if self._means.stopping() or not self._ceiling.take(again=attempt > 0):
                return last, None
            last = exchange(self._http, self._to, content)
            if last.status is not None and 200 <= last.status <= 299:
                reading = nothing(count, "too-large") if last.too_large else read(last.body, count)
                if reading.status is None:
                    return last, reading
                # Some endpoints say 200, and in the body what they mean.
                last = replace(last, status=reading.status)
            if not _worth_repeating(last) or attempt == self._retries:
                return last, None
            delay_s = self._delay_s(attempt, last)
            _log.info("%s; asking again in %.1f s", _told(last), delay_s)
            self._means.wait(delay_s)
        raise AssertionError("unreachable: the last attempt returns")

    def _delay_s(self, attempt: int, reply: Reply) -> float:
        own = min(_LONGEST_DELAY_S, _FIRST_DELAY_S * 2.0**attempt) * self._means.spread()
        asked = retry_after_s(reply, self._means.now())
        return own if asked is None else min(LONGEST_WAIT_S, max(own, asked))

    def _without_answer(self, reply: Reply, count: int) -> Answer:
        status = reply.status
        if status is not None and (error := _hopeless(reply)) is not None:
            return Answer("stop", error=error)
        if _worth_repeating(reply):
            return Answer("no-answer", nothing(count, "no-answer"), _told(reply))
        return Answer("rejected", nothing(count, "rejected"), _told(reply))


def retry_after_s(reply: Reply, now: datetime) -> float | None:
    """The seconds that Retry-After asks for, >= 0, in either of its forms; None for none that can be read.

    now: what a date counts from where the reply doesn't say what time it is there.
    """
    text = (reply.retry_after or "").strip()
    if text.isascii() and text.isdigit():
        return float(text[:9])
    until, there = _http_date(text), _http_date(reply.date or "")
    return None if until is None else max(0.0, (until - (there or now)).total_seconds())


def _http_date(text: str) -> datetime | None:
    try:
        date = parsedate_to_datetime(text)
    except (ValueError, TypeError, IndexError, OverflowError):
        return None
    return date if date.tzinfo is not None else date.replace(tzinfo=UTC)


def _worth_repeating(reply: Reply) -> bool:
    status = reply.status
    return status is None or status in _LATER or (500 <= status <= 599 and status not in _NEVER)


def _hopeless(reply: Reply) -> MaintenanceError | None:
    """What stops the run at once: asking about other facts would end alike."""
    if reply.location is not None:
        return UsageError(
            f"the endpoint of scoring.base_url redirects to {reply.location}, and isn't followed there",
            remedy="put the address that answers into scoring.base_url",
        )
    if reply.status not in _HOPELESS:
        return None
    what, remedy = _HOPELESS[reply.status]
    # Of a refused key nothing is repeated: some endpoints quote part of it.
    words = f": {reply.words}" if reply.words and reply.status not in (401, 403) else ""
    return UsageError(f"the endpoint {what} ({reply.status}){words}", remedy=remedy)


def _told(reply: Reply) -> str:
    if reply.status is None:
        return f"the endpoint gave no answer: {reply.words}"
    return f"the endpoint answered {reply.status}" + (f": {reply.words}" if reply.words else "")
