"""Pings as healthchecks.io takes them: a start, and an end with the exit code and the last lines of the log.

    POST URL/start?rid=UUID     the run begins: it has the lock
    POST URL?rid=UUID           it succeeded
    POST URL/CODE?rid=UUID      it failed, exit code 1 to 255
    POST URL/log?rid=UUID       another run is at work, so it didn't begin: neither a success nor a failure

They are sent by a thread of their own, in order: the run doesn't wait for the start, and for the end only so
long as ``longest_wait_s`` says, whatever a resolver or a server that hangs may do.
"""

from __future__ import annotations

import queue
import ssl
import threading
import time
import uuid
from dataclasses import dataclass, field
from typing import Final
from urllib.parse import urlsplit, urlunsplit

import httpx

from memory_maintenance.model.hosts import is_loopback
from memory_maintenance.monitoring.observed import BUSY, SIGNALLED, Ended

_PAUSE_S: Final = 1.0
_MOST_READ: Final = 1024


@dataclass(frozen=True, slots=True)
class _Ping:
    """url: shown nowhere. what: how it is called in a message."""

    what: str
    url: str = field(repr=False)
    content: bytes
    attempts: int


class Pinger:
    """Tells one check of one run.

    url: of the check; a query it has is kept. timeout_s: for one attempt. pause_s: before the second one.
    """

    def __init__(
        self, url: str, *, timeout_s: float, version: str, pause_s: float = _PAUSE_S
    ) -> None:
        self._url = url
        self._timeout_s = timeout_s
        self._pause_s = pause_s
        self._version = version
        self._run = str(uuid.uuid4())
        self._pings: queue.SimpleQueue[_Ping | None] = queue.SimpleQueue()
        self._failures: list[str] = []
        # A daemon: at the end of the process nobody waits for it.
        self._thread = threading.Thread(target=self._send_all, name="pings", daemon=True)
        self._sending = False
        self._has_started = False

    @property
    def longest_wait_s(self) -> float:
        """How long ``ended`` may take: a start still under way, two attempts and the pause between them."""
        return 3 * self._timeout_s + self._pause_s

    def started(self) -> None:
        """Sends the start, once. Returns at once."""
        self._has_started = True
        self._queue(_Ping("the start", self._address("start"), b"", 1))

    def ended(self, ended: Ended) -> list[str]:
        """Sends the end and waits for it, as long as ``longest_wait_s``; what went wrong with either."""
        attempts = 1 if ended.exit_code in SIGNALLED else 2
        suffix = str(ended.exit_code or "")
        if ended.exit_code == BUSY and not self._has_started:
            # One that began, and then gave up on locks, has left work undone: that is a failure.
            suffix = "log"
        content = _body(ended).encode("utf-8", "backslashreplace")
        self._queue(_Ping("the end", self._address(suffix), content, attempts))
        self._pings.put(None)
        self._thread.join(self.longest_wait_s)
        failures = list(self._failures)
        if self._thread.is_alive():
            failures.append(f"no answer within {self.longest_wait_s:g} s")
        return failures

    def _queue(self, ping: _Ping) -> None:
        self._pings.put(ping)
        if not self._sending:
            self._sending = True
            self._thread.start()

    def _address(self, suffix: str) -> str:
        parts = urlsplit(self._url)
        path = parts.path.rstrip("/") + (f"/{suffix}" if suffix else "")
        query = "&".join(filter(None, (parts.query, f"rid={self._run}")))
        return urlunsplit((parts.scheme, parts.netloc, path, query, ""))

    def _send_all(self) -> None:
        try:
            with self._client() as http:
                while (ping := self._pings.get()) is not None:
                    if failure := self._send(http, ping):
                        self._failures.append(f"{ping.what}: {failure}")
        except Exception as error:  # noqa: BLE001 - a thread has nobody to tell but us
            self._failures.append(type(error).__name__)

    def _client(self) -> httpx.Client:
        parts = urlsplit(self._url)
        local = is_loopback(parts.hostname or "")
        plain = local and parts.scheme == "http"
        return httpx.Client(
            headers={
                "Content-Type": "text/plain; charset=utf-8",
                "Accept-Encoding": "identity",
                "User-Agent": f"memory-maintenance/{self._version}",
            },
            timeout=httpx.Timeout(self._timeout_s),
            follow_redirects=False,
            # What stays on this machine goes through no proxy, whatever the environment says of others.
            trust_env=not local,
            # Certificates take a tenth of a second to load. Without TLS none are needed, none are trusted.
            verify=ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT) if plain else True,
        )

    def _send(self, http: httpx.Client, ping: _Ping) -> str:
        """Sends a ping; why it failed, "" where it didn't. Tried again after what may pass."""
        failure, passing = self._attempt(http, ping)
        for _ in range(ping.attempts - 1):
            if not passing:
                break
            time.sleep(self._pause_s)
            failure, passing = self._attempt(http, ping)
        return failure

    def _attempt(self, http: httpx.Client, ping: _Ping) -> tuple[str, bool]:
        until = time.monotonic() + self._timeout_s
        try:
            with http.stream("POST", ping.url, content=ping.content) as response:
                said = b""
                # Without a size: that many bytes would be waited for.
                for chunk in response.iter_raw():
                    said += chunk
                    if len(said) >= _MOST_READ or time.monotonic() > until:
                        break
        except httpx.HTTPError as error:
            return _kind(error), True
        status = response.status_code
        if not 200 <= status <= 299:
            return f"HTTP status {status}", status == 429 or status >= 500
        if said.startswith(b"OK (not found)"):
            # What healthchecks says, with status 200, of a check that it doesn't know.
            return "there is no such check", False
        return "", False


def _kind(error: httpx.HTTPError) -> str:
    """What went wrong, without the error's own words, which may hold the URL.

    One that found no connection tells by its cause alone whether name, server or certificate is at fault.
    """
    first: BaseException = error
    while (cause := first.__cause__ or first.__context__) is not None:
        first = cause
    kind = type(error).__name__
    return f"{kind} ({type(first).__name__})" if isinstance(error, httpx.ConnectError) else kind


def _body(ended: Ended) -> str:
    """What the check's log shows: a summary and the last lines."""
    lines = [
        f"memory-maintenance {ended.version} {ended.subject.command} on {ended.subject.table}: "
        f"exit code {ended.exit_code} after {ended.duration_s:.1f} s"
        + ("" if ended.run_id is None else f", run {ended.run_id}")
    ]
    lines += [f"{step}: {outcome} {number}" for step, outcome, number in ended.rows()]
    if ended.tail:
        lines += ["", ended.tail]
    return "\n".join(lines) + "\n"
