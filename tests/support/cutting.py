"""A proxy before a server that cuts its client off at a COMMIT: sent on to the server, or not."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from psycopg.conninfo import make_conninfo

from tests.support import directories
from tests.support.server import TestServer, parameters

_PORT = 5432
When = Literal["before", "after"]


@dataclass(slots=True)
class CuttingProxy:
    """Listens in directory. Once armed, it cuts off whoever sends that COMMIT."""

    directory: Path
    server: TestServer
    cuts: int = 0
    _when: When | None = None
    _commits: int = 0
    _open: list[socket.socket] = field(default_factory=list)

    def dsn(self, database: str) -> str:
        """The conninfo of a database behind it."""
        return make_conninfo(
            self.server.dsn(database),
            host=str(self.directory),
            hostaddr="",
            port=_PORT,
            gssencmode="disable",
            sslmode="disable",
        )

    def cut(self, when: When, *, commits: int = 1) -> None:
        """Arms it. after: the server gets the COMMIT and its answer is lost; before: it never does.
        commits: at which of those to come."""
        self._when, self._commits = when, commits

    def serve(self, listener: socket.socket) -> None:
        """Accepts connections until the listener is shut."""
        while True:
            try:
                client, _ = listener.accept()
            except OSError:
                return
            server = self._dial()
            self._open += [client, server]
            for target in (self._requests, self._answers):
                threading.Thread(target=target, args=(client, server), daemon=True).start()

    def close(self) -> None:
        """Ends every connection."""
        for one in self._open:
            _end(one)
            one.close()

    def _dial(self) -> socket.socket:
        known = parameters(self.server.superuser_conninfo)
        host, port = known.get("hostaddr") or known["host"], int(known.get("port", "5432"))
        if not host.startswith("/"):
            return socket.create_connection((host, port))
        connection = socket.socket(socket.AF_UNIX)
        connection.connect(f"{host}/.s.PGSQL.{port}")
        return connection

    def _requests(self, client: socket.socket, server: socket.socket) -> None:
        while data := _received(client):
            if self._when is not None and b"COMMIT" in data:
                self._commits -= 1
                if self._commits == 0:
                    when, self._when = self._when, None
                    self.cuts += 1
                    # The server's side is left open until its answer comes: it doesn't learn of this.
                    _end(client)
                    if when == "after":
                        _sent(server, data)
                    else:
                        _end(server)
                    return
            if not _sent(server, data):
                break
        _end(server)

    def _answers(self, client: socket.socket, server: socket.socket) -> None:
        while data := _received(server):
            if not _sent(client, data):
                break
        _end(client)
        _end(server)


@contextmanager
def cutting_proxy(server: TestServer, base: Path) -> Iterator[CuttingProxy]:
    """A proxy before the server. base: the fixture session_directory."""
    with directories.temporary(base) as directory, socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(directory / f".s.PGSQL.{_PORT}"))
        listener.listen()
        proxy = CuttingProxy(directory, server)
        thread = threading.Thread(target=proxy.serve, args=(listener,))
        thread.start()
        try:
            yield proxy
        finally:
            listener.shutdown(socket.SHUT_RDWR)
            thread.join()
            proxy.close()


def _received(connection: socket.socket) -> bytes:
    try:
        return connection.recv(65536)
    except OSError:
        return b""


def _sent(connection: socket.socket, data: bytes) -> bool:
    """Whether it went out: the other side may have closed meanwhile, as sessions do at their end."""
    try:
        connection.sendall(data)
    except OSError:
        return False
    return True


def _end(connection: socket.socket) -> None:
    with suppress(OSError):  # it may have ended by itself
        connection.shutdown(socket.SHUT_RDWR)
