"""A check as of healthchecks.io on loopback: it takes pings, and answers as a test says.

check   a real HTTP server that answers OK unless told otherwise
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler
from urllib.parse import parse_qs, urlsplit

import pytest

from tests.support.loopback import Loopback

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


class Check(Loopback):
    """See the module. pings: what came, in order."""

    def __init__(self) -> None:
        self.pings: list[Pinged] = []
        self._answers: deque[Answer] = deque()
        super().__init__()

    @property
    def url(self) -> str:
        """The ping URL."""
        return f"{self.origin}{SECRET_PATH}"

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

    def post(self, handler: BaseHTTPRequestHandler) -> None:
        """Takes a ping, and answers it."""
        body = handler.rfile.read(int(handler.headers["Content-Length"] or 0)).decode()
        parts = urlsplit(handler.path)
        action = parts.path.removeprefix(SECRET_PATH).removeprefix("/")
        agent = handler.headers["User-Agent"]
        self.pings.append(Pinged(action, parse_qs(parts.query), body, agent))
        answer = self._answers.popleft() if self._answers else says(200)
        answer(handler)

    def get(self, handler: BaseHTTPRequestHandler) -> None:
        """Takes what no ping does."""
        self.pings.append(Pinged("GET", {}, "", ""))
        says(200)(handler)


@pytest.fixture
def check() -> Iterator[Check]:
    """A check of the test's own."""
    stub = Check()
    yield stub
    stub.close()
