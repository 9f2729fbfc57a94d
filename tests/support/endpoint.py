"""A chat-completions endpoint on loopback that answers as a test says, well or badly.

endpoint   a real HTTP server. It scores a fact by the number at the end of its value, unless told otherwise.
"""

from __future__ import annotations

import contextlib
import json
import threading
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler
from typing import Any

import pytest

from tests.support.loopback import Loopback


@dataclass(frozen=True, slots=True)
class Asked:
    """A request as it came. document: its body."""

    path: str
    headers: Mapping[str, str]
    document: dict[str, Any]

    @property
    def facts(self) -> list[dict[str, Any]]:
        """What the model is to score."""
        found: list[dict[str, Any]] = json.loads(self.document["messages"][-1]["content"])["facts"]
        return found

    @property
    def form(self) -> str:
        """The type of its response_format; "none" where it has none."""
        kind: str = self.document.get("response_format", {"type": "none"})["type"]
        return kind


Reply = Callable[[BaseHTTPRequestHandler, Asked], None]
Entry = dict[str, Any]


def scored(asked: Asked) -> list[Entry]:
    """The right scores: what the facts' values end with."""
    return [
        {"id": fact["id"], "importance": int(fact["value"].rpartition(" ")[2])}
        for fact in asked.facts
    ]


def completion(
    content: str | None, *, ended: str = "stop", refusal: str | None = None
) -> dict[str, Any]:
    """A chat completion with that content."""
    message = {"role": "assistant", "content": content, "refusal": refusal}
    return {
        "choices": [{"index": 0, "finish_reason": ended, "message": message}],
        "usage": {"prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 110},
    }


def edited(edit: Callable[[list[Entry]], Sequence[Any]]) -> Reply:
    """The right scores, but for what ``edit`` makes of them."""

    def reply(handler: BaseHTTPRequestHandler, asked: Asked) -> None:
        _json(handler, 200, completion(json.dumps({"scores": edit(scored(asked))})))

    return reply


def worded(word: Callable[[str], str], *, ended: str = "stop") -> Reply:
    """The right scores as JSON, put into other words by ``word``."""

    def reply(handler: BaseHTTPRequestHandler, asked: Asked) -> None:
        text = word(json.dumps({"scores": scored(asked)}))
        _json(handler, 200, completion(text, ended=ended))

    return reply


def says(document: Any, status: int = 200, **headers: str) -> Reply:
    """That document, whatever was asked. headers: with _ for -."""

    def reply(handler: BaseHTTPRequestHandler, _asked: Asked) -> None:
        _json(handler, status, document, headers)

    return reply


def fails(status: int, words: str = "no", **headers: str) -> Reply:
    """An error as such endpoints word it."""
    return says({"error": {"message": words}}, status, **headers)


def cut(handler: BaseHTTPRequestHandler, asked: Asked) -> None:
    """The right scores, but the connection ends in the middle of them."""
    body = json.dumps(completion(json.dumps({"scores": scored(asked)}))).encode()
    _head(handler, 200, {"Content-Length": str(len(body))})
    handler.wfile.write(body[: len(body) // 2])
    handler.wfile.flush()
    handler.close_connection = True


def huge(handler: BaseHTTPRequestHandler, _asked: Asked) -> None:
    """A body without an end, until nobody reads it."""
    _head(handler, 200, {"Connection": "close"})
    with contextlib.suppress(OSError):
        for _ in range(100):
            handler.wfile.write(b" " * 100_000)
    handler.close_connection = True


RIGHT = edited(lambda scores: scores)


class StubEndpoint(Loopback):
    """See the module.

    asked: what came, in order. replied: to how many there was an answer; at_once: how many waited for one
    at the busiest time.
    """

    def __init__(self) -> None:
        self.asked: list[Asked] = []
        self.replied = 0
        self.at_once = 0
        self.otherwise: Reply = RIGHT
        self._replies: deque[Reply] = deque()
        self._lock = threading.Lock()
        super().__init__()

    @property
    def url(self) -> str:
        """The base URL, as the configuration has it."""
        return f"{self.origin}/v1"

    def answers(self, *replies: Reply, otherwise: Reply | None = None) -> None:
        """Reply to the next requests in this order, and to those after them with ``otherwise`` (right)."""
        self._replies.extend(replies)
        self.otherwise = otherwise or RIGHT

    def dripping(self, handler: BaseHTTPRequestHandler, _asked: Asked) -> None:
        """A body that comes a byte at a time, until nobody reads it."""
        self.drip(handler)

    def held(self, reply: Reply = RIGHT) -> Reply:
        """That reply, once ``opened`` is set."""

        def hold(handler: BaseHTTPRequestHandler, asked: Asked) -> None:
            self.opened.wait(30)
            with contextlib.suppress(OSError):
                reply(handler, asked)

        return hold

    def post(self, handler: BaseHTTPRequestHandler) -> None:
        """Takes a request, and replies."""
        body = handler.rfile.read(int(handler.headers["Content-Length"]))
        asked = Asked(handler.path, dict(handler.headers), json.loads(body))
        with self._lock:
            self.asked.append(asked)
            self.at_once = max(self.at_once, len(self.asked) - self.replied)
            reply = self._replies.popleft() if self._replies else self.otherwise
        reply(handler, asked)
        with self._lock:
            self.replied += 1


@pytest.fixture
def endpoint() -> Iterator[StubEndpoint]:
    """An endpoint of the test's own."""
    stub = StubEndpoint()
    yield stub
    stub.close()


def _json(
    handler: BaseHTTPRequestHandler,
    status: int,
    document: Any,
    headers: Mapping[str, str] | None = None,
) -> None:
    body = document if isinstance(document, bytes) else json.dumps(document).encode()
    named = {name.replace("_", "-"): value for name, value in (headers or {}).items()}
    _head(handler, status, {**named, "Content-Length": str(len(body))})
    handler.wfile.write(body)


def _head(handler: BaseHTTPRequestHandler, status: int, headers: Mapping[str, str]) -> None:
    handler.send_response(status)
    handler.send_header("Content-Type", "application/json")
    for name, value in headers.items():
        handler.send_header(name, value)
    handler.end_headers()
