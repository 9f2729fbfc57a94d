"""A proxy before a server that counts what its clients ask, and acts at one of these requests."""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

from psycopg.conninfo import make_conninfo

from tests.support import directories
from tests.support.server import TestServer, parameters

_PORT = 5432
Act = Callable[[], None]
When = Callable[[bytes], bool]


@dataclass(slots=True)
class CountingProxy:
    """Listens in directory. A request is what a client sends before it waits for the answer.

    requests: so far. at: the request where it acted last, None while it hasn't.
    """

    directory: Path
    server: TestServer
    requests: int = 0
    at: bytes | None = None
    _when: When | None = None
    _act: Act | None = None
    _forward: bool = False
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

    def act_at(self, number: int, act: Act, *, forward: bool) -> None:
        """Arms it: at that request from now, counted from 1, it acts before it hands the request on.
        forward: or, where that is false, ends the connection."""
        goal = self.requests + number
        self.act_when(lambda _: self.requests >= goal, act, forward=forward)

    def act_when(self, when: When, act: Act, *, forward: bool) -> None:
        """Arms it as ``act_at`` does, for the first request that ``when`` is true of."""
        self.at, self._when, self._act, self._forward = None, when, act, forward

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
            self.requests += 1
            if self._act is not None and self._when is not None and self._when(data):
                act, self._act = self._act, None
                self.at = data
                act()
                if not self._forward:
                    break
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
def counting_proxy(server: TestServer, base: Path) -> Iterator[CountingProxy]:
    """A proxy before the server. base: the fixture session_directory."""
    with directories.temporary(base) as directory, socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(directory / f".s.PGSQL.{_PORT}"))
        listener.listen()
        proxy = CountingProxy(directory, server)
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
        return connection.recv(1 << 20)
    except OSError:
        return b""


def _sent(connection: socket.socket, data: bytes) -> bool:
    """Whether it went out: the other side may have ended meanwhile."""
    try:
        connection.sendall(data)
    except OSError:
        return False
    return True


def _end(connection: socket.socket) -> None:
    with suppress(OSError):  # it may have ended by itself
        connection.shutdown(socket.SHUT_RDWR)
