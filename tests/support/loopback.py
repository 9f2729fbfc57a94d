"""A real HTTP server on loopback, which answers as a test says."""

from __future__ import annotations

import contextlib
import threading
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


class Loopback:
    """Says by post and get how requests are answered; get may be left out.

    opened: set where answers that are held back may go, at its end at the latest.
    """

    def __init__(self) -> None:
        self.opened = threading.Event()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._server.daemon_threads = True
        self._thread = threading.Thread(
            target=self._server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True
        )
        self._thread.start()

    def post(self, handler: BaseHTTPRequestHandler) -> None:
        """Answers a POST."""
        raise NotImplementedError

    def get(self, handler: BaseHTTPRequestHandler) -> None:
        """Answers a GET."""
        handler.send_error(HTTPStatus.NOT_IMPLEMENTED)

    @property
    def origin(self) -> str:
        """The URL up to the path."""
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    def drip(self, handler: BaseHTTPRequestHandler) -> None:
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
        server = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            # An answer in two writes would otherwise wait for the other side's delayed acknowledgement.
            disable_nagle_algorithm = True

            def do_POST(self) -> None:
                server.post(self)

            def do_GET(self) -> None:
                server.get(self)

            def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - inherited
                """Nothing: the tests look at what came."""

        return Handler
