"""A check as of healthchecks.io on loopback: it takes pings, and answers as a test says.

check   a real HTTP server that answers OK unless told otherwise
"""

from __future__ import annotations

import contextlib
import threading
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

SECRET_PATH = "/4f7c0e7e-secret"


@dataclass(frozen=True, slots=True)
class Pinged:
    """A ping as it came. action: what follows the check's path: start, log, an exit code, or ""."""

    action: str
    query: dict[str, list[str]]
    body: str
    agent: str

    @property
    def run(self) -> str:
        """The run that it belongs to."""
        (rid,) = self.query["rid"]
        return rid


Answer = Callable[[BaseHTTPRequestHandler], None]


def says(status: int, body: bytes = b"OK", **headers: str) -> Answer:
    """That answer."""

    def answer(handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(status)
        for name, value in headers.items():
            handler.send_header(name, value)
        handler.send_header("Content-Length", str(len(body)))
        handler.end_headers()
        handler.wfile.write(body)

    return answer


class Check:
    """See the module. pings: what came, in order."""

    def __init__(self) -> None:
        self.pings: list[Pinged] = []
        self.opened = threading.Event()
        self._answers: deque[Answer] = deque()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._server.daemon_threads = True
        self._thread = threading.Thread(
            target=self._server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True
        )
        self._thread.start()

    @property
    def url(self) -> str:
        """The ping URL."""
        return f"http://127.0.0.1:{self._server.server_address[1]}{SECRET_PATH}"

    @property
    def actions(self) -> list[str]:
        """What came, in order."""
        return [ping.action for ping in self.pings]

    def answers(self, *answers: Answer) -> None:
        """Answer the next pings so."""
        self._answers.extend(answers)

    def never(self, handler: BaseHTTPRequestHandler) -> None:
        """No answer until the test ends."""
        self.opened.wait(30)
        handler.close_connection = True

    def dripping(self, handler: BaseHTTPRequestHandler) -> None:
        """An answer that comes a byte at a time, until nobody reads it."""
        handler.send_response(200)
        handler.send_header("Connection", "close")
        handler.end_headers()
        with contextlib.suppress(OSError):
            while not self.opened.wait(0.02):
                handler.wfile.write(b" ")
        handler.close_connection = True

    def close(self) -> None:
        """End it; nobody answers there any more."""
        self.opened.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        check = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            disable_nagle_algorithm = True

            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"] or 0)).decode()
                parts = urlsplit(self.path)
                action = parts.path.removeprefix(SECRET_PATH).removeprefix("/")
                agent = self.headers["User-Agent"]
                check.pings.append(Pinged(action, parse_qs(parts.query), body, agent))
                answer = check._answers.popleft() if check._answers else says(200)
                answer(self)

            def do_GET(self) -> None:
                check.pings.append(Pinged("GET", {}, "", ""))
                says(200)(self)

            def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - inherited
                """Nothing: the tests look at ``pings``."""

        return Handler


@pytest.fixture
def check() -> Iterator[Check]:
    """A check of the test's own."""
    stub = Check()
    yield stub
    stub.close()
