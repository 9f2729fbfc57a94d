"""Pings to a check that answers well or badly."""

from __future__ import annotations

import logging
import time
import uuid
from typing import Any

import pytest

from memory_maintenance.monitoring.log_tail import MOST_BYTES, LogTail
from memory_maintenance.monitoring.observed import Ended, Subject
from memory_maintenance.monitoring.pings import Pinger
from tests.support.checks import SECRET_PATH, Check, says


def pinger(url: str, timeout_s: float = 5.0) -> Pinger:
    return Pinger(url, timeout_s=timeout_s, version="1.2.3", pause_s=0.01)


def ended(exit_code: int = 0, **fields: Any) -> Ended:
    subject = Subject("run", "public.entity_facts")
    return Ended(subject, "1.2.3", exit_code, ended_at_s=1000.0, duration_s=1.54, **fields)


def told(check: Check, exit_code: int = 0, timeout_s: float = 5.0, **fields: Any) -> list[str]:
    """A run told of from start to end; what went wrong."""
    tells = pinger(check.url, timeout_s)
    tells.started()
    return tells.ended(ended(exit_code, **fields))


def test_a_start_and_a_success_belong_to_one_run(check: Check) -> None:
    counts = {"decay": {"examined": 7, "updated": 2}}
    assert told(check, run_id=12, counts=counts) == []
    assert check.actions == ["start", ""]
    start, end = check.pings
    assert start.run == end.run
    assert str(uuid.UUID(start.run)) == start.run
    assert start.agent == "memory-maintenance/1.2.3"
    assert end.body == (
        "memory-maintenance 1.2.3 run on public.entity_facts: exit code 0 after 1.5 s, run 12\n"
        "decay: examined 7\n"
        "decay: updated 2\n"
    )
    assert told(check) == []
    assert check.pings[2].run != start.run


@pytest.mark.parametrize(
    ("code", "action"),
    [(1, "1"), (2, "2"), (69, "69"), (70, "70"), (75, "log"), (77, "77"), (130, "130")],
)
def test_each_exit_code_is_told_and_a_taken_lock_is_no_failure(
    check: Check, code: int, action: str
) -> None:
    tells = pinger(check.url)
    assert tells.ended(ended(code, tail="error: so it is")) == []
    assert check.actions == [action]
    assert check.pings[0].body.endswith("\n\nerror: so it is\n")


def test_who_began_and_then_gave_up_on_locks_has_failed(check: Check) -> None:
    assert told(check, 75) == []
    assert check.actions == ["start", "75"]


def test_the_query_and_a_final_slash_of_the_url_are_minded(check: Check) -> None:
    tells = pinger(f"{check.url}/?create=1")
    assert tells.ended(ended(1)) == []
    assert check.actions == ["1"]
    assert check.pings[0].query["create"] == ["1"]
    assert check.pings[0].run


def test_what_may_pass_is_tried_once_more(check: Check) -> None:
    check.answers(says(503), says(200))
    tells = pinger(check.url)
    assert tells.ended(ended()) == []
    assert check.actions == ["", ""]
    check.answers(says(500), says(429))
    assert pinger(check.url).ended(ended()) == ["the end: HTTP status 429"]
    # The start is told once: what matters more is behind it.
    check.answers(says(500))
    assert told(check) == ["the start: HTTP status 500"]
    # A run that a signal ended is not to linger.
    check.answers(says(500))
    assert pinger(check.url).ended(ended(143)) == ["the end: HTTP status 500"]


@pytest.mark.parametrize(
    ("answer", "failure"),
    [
        pytest.param(says(404), "HTTP status 404", id="unknown"),
        pytest.param(says(302, Location="http://127.0.0.1:1/"), "HTTP status 302", id="redirect"),
        pytest.param(says(200, b"OK (not found)"), "there is no such check", id="OK but unknown"),
    ],
)
def test_what_will_not_pass_is_told_at_once(check: Check, answer: Any, failure: str) -> None:
    check.answers(answer)
    assert pinger(check.url).ended(ended()) == [f"the end: {failure}"]
    assert len(check.pings) == 1


@pytest.mark.parametrize("how", ["never", "drip"])
def test_a_server_that_hangs_is_left_within_the_bound(check: Check, how: str) -> None:
    check.answers(*[getattr(check, how)] * 3)
    began = time.monotonic()
    failures = told(check, timeout_s=0.1)
    took = time.monotonic() - began
    assert took < 3 * 0.1 + 0.01 + 0.5
    # What comes in drops is an answer all the same: its status was the first thing to come.
    assert (failures == []) == (how == "drip")
    assert all(SECRET_PATH not in failure for failure in failures)


def test_the_bound_holds_whatever_hangs(monkeypatch: pytest.MonkeyPatch) -> None:
    import socket
    import threading

    gate = threading.Event()

    def resolver(*_: Any, **__: Any) -> Any:
        gate.wait(30)
        raise socket.gaierror

    monkeypatch.setattr(socket, "getaddrinfo", resolver)
    tells = pinger("http://check.invalid/secret", timeout_s=0.1)
    tells.started()
    began = time.monotonic()
    assert tells.ended(ended()) == ["no answer within 0.31 s"]
    assert time.monotonic() - began < 0.31 + 0.5
    gate.set()


def test_nobody_there_is_told_without_the_url(check: Check) -> None:
    url = check.url
    check.close()
    failures = pinger(url).ended(ended())
    assert failures == ["the end: ConnectError (ConnectionRefusedError)"]
    assert "secret" not in repr(failures)


def test_the_tail_is_the_last_lines_without_secrets_and_bounded() -> None:
    tail = LogTail(lambda text: text.replace("hunter2", "***"))
    log = logging.getLogger("tests.tail")
    log.setLevel(logging.DEBUG)
    log.propagate = False
    log.addHandler(tail)
    try:
        log.debug("too detailed")
        log.info("with %s", "hunter2")
        log.warning("of two\nlines")
        try:
            raise ValueError("a fact")
        except ValueError:
            log.exception("broken")
        assert tail.text() == "info: with ***\nwarning: of two\nlines\nerror: broken"
        for number in range(1000):
            log.warning("%d %s", number, "é" * 600)
    finally:
        log.removeHandler(tail)
    text = tail.text()
    assert len(text.encode()) <= MOST_BYTES
    assert text.splitlines()[-1].startswith("warning: 999 é")
    assert text.splitlines()[0].startswith("warning: 9")
