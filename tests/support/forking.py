"""The command as a process of its own that needn't import what another has imported already.

An interpreter that has all of our modules waits for requests and forks: what comes out has its own pid,
environment, directory and streams, and ends as `python -m memory_maintenance` does, in a tenth of the time.
Importing takes more than half a second, which hundreds of tests would spend.

Run as a program, with the descriptor of a socket, it is that interpreter.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import select
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
_MOST_BYTES = 60_000
# What an interpreter reads at its start, when one that is forked has started long ago.
_AT_START = ("PYTHON", "LC_", "LANG")


class Forked:
    """A process that was forked for a test; like subprocess.Popen as far as tests need that.

    stdin: its standard input, already complete.
    """

    def __init__(
        self,
        forker: socket.socket,
        args: Sequence[str],
        env: Mapping[str, str],
        cwd: Path,
        stdin: str = "",
    ) -> None:
        self.args = list(args)
        self.returncode: int | None = None
        self._out: dict[int, bytes] = {}
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        pipes = [os.pipe() for _ in range(3)]
        (given, give), (out, to_out), (err, to_err) = pipes
        os.write(give, stdin.encode())
        os.close(give)
        request = json.dumps({"args": self.args, "env": dict(env), "cwd": str(cwd)}).encode()
        socket.send_fds(forker, [request], [given, to_out, to_err, theirs.fileno()])
        theirs.close()
        for descriptor in (given, to_out, to_err):
            os.close(descriptor)
        self.pid = int(ours.recv(100))
        # Several threads may wait for its end: one of them reads it for all.
        self._ended = threading.Event()
        threading.Thread(target=self._await_end, args=[ours], daemon=True).start()
        self._readers = [
            threading.Thread(target=self._read, args=[descriptor], daemon=True)
            for descriptor in (out, err)
        ]
        self._streams = (out, err)
        for reader in self._readers:
            reader.start()

    def _read(self, descriptor: int) -> None:
        with open(descriptor, "rb") as stream:
            self._out[descriptor] = stream.read()

    def _await_end(self, status: socket.socket) -> None:
        with status:
            self.returncode = int(status.recv(100) or b"-9")
        self._ended.set()

    def poll(self) -> int | None:
        """Its exit code, None while it runs; after a signal that number, negative."""
        return self.returncode

    def wait(self, timeout: float | None = None) -> int:
        """Its exit code, once it has ended; else subprocess.TimeoutExpired after that many seconds."""
        self._ended.wait(timeout)
        if self.returncode is None:
            assert timeout is not None
            raise subprocess.TimeoutExpired(self.args, timeout)
        return self.returncode

    def communicate(self, timeout: float | None = None) -> tuple[str, str]:
        """What it wrote to stdout and stderr, once it has ended; TimeoutExpired as for wait."""
        until = None if timeout is None else time.monotonic() + timeout
        self.wait(timeout)
        for reader in self._readers:
            reader.join(None if until is None else max(0.0, until - time.monotonic()))
            if reader.is_alive():
                assert timeout is not None
                raise subprocess.TimeoutExpired(self.args, timeout)
        out, err = (
            self._out[descriptor].decode().replace("\r\n", "\n") for descriptor in self._streams
        )
        return out, err

    def send_signal(self, number: int) -> None:
        """Send it a signal, where it still runs."""
        if self.poll() is None:
            os.kill(self.pid, number)

    def kill(self) -> None:
        """End it by SIGKILL."""
        self.send_signal(signal.SIGKILL)


class Forker:
    """Starts the command by forking."""

    def __init__(self, channel: socket.socket) -> None:
        self._channel = channel
        self._lock = threading.Lock()

    def start(
        self, args: Sequence[str], env: Mapping[str, str], cwd: Path, stdin: str = ""
    ) -> Forked:
        """`memory-maintenance` with args, in that environment and directory."""
        with self._lock:
            return Forked(self._channel, args, env, cwd, stdin)

    @staticmethod
    def can(args: Sequence[str], changed: Mapping[str, str], stdin: str = "") -> bool:
        """Whether a fork is as good as a new interpreter. changed: variables unlike this process's."""
        size = len(stdin.encode()) + sum(len(arg.encode(errors="replace")) for arg in args)
        return (
            hasattr(os, "pidfd_open")
            and size < _MOST_BYTES
            and not any(name.startswith(_AT_START) for name in changed)
        )


@pytest.fixture(scope="session")
def forker(_no_settings_from_outside: None, _bytecode_is_kept: None) -> Iterator[Forker]:
    """One for all tests of a worker; started with its first test that needs it."""
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    environment = dict(os.environ)
    if environment.pop("PYTHONPYCACHEPREFIX", None):
        # What was compiled when the packages were installed would have to be compiled again.
        environment["PYTHONDONTWRITEBYTECODE"] = "1"
    process = subprocess.Popen(
        [sys.executable, "-m", __name__, str(theirs.fileno())],
        pass_fds=[theirs.fileno()],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        cwd=ROOT,
        env=environment,
    )
    theirs.close()
    with ours:
        yield Forker(ours)
    process.wait(60)


# -- the process that forks --


def _prepare() -> None:
    """Import what the command may import."""
    import importlib
    import pkgutil

    import memory_maintenance

    for module in pkgutil.walk_packages(memory_maintenance.__path__, "memory_maintenance."):
        if not module.name.endswith("__main__"):
            importlib.import_module(module.name)


def _serve(channel: socket.socket) -> dict[str, Any] | None:
    """Fork for each request. Returns it in the process that was forked, None in this one at the end."""
    running: dict[int, tuple[int, socket.socket]] = {}
    waiting = select.poll()
    waiting.register(channel, select.POLLIN)
    while True:
        for descriptor, _ in waiting.poll():
            if descriptor != channel.fileno():
                pid, status = running.pop(descriptor)
                waiting.unregister(descriptor)
                code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
                with contextlib.suppress(OSError), status:  # nobody may want to know any more
                    status.send(str(code).encode())
                os.close(descriptor)
                continue
            request, descriptors, _, _ = socket.recv_fds(channel, 1 << 20, 4)
            if not request:
                return None
            *streams, reporting = descriptors
            status = socket.socket(fileno=reporting)
            pid = os.fork()
            if pid == 0:
                for inherited in (channel, status, *(other for _, other in running.values())):
                    inherited.close()
                for inherited_descriptor in running:
                    os.close(inherited_descriptor)
                _take_over(streams)
                found: dict[str, Any] = json.loads(request)
                return found
            for stream in streams:
                os.close(stream)
            status.send(str(pid).encode())
            ended = os.pidfd_open(pid)
            running[ended] = (pid, status)
            waiting.register(ended, select.POLLIN)


def _take_over(streams: Sequence[int]) -> None:
    """Make these the standard streams, as the start of an interpreter does."""
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
        os.close(stream)
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        as_before = getattr(sys, name)
        opened = io.TextIOWrapper(
            open(number, "rb" if number == 0 else "wb", closefd=False),  # noqa: SIM115 - open to the end
            encoding=as_before.encoding,
            errors=as_before.errors,
            line_buffering=number == 2,
        )
        setattr(sys, name, opened)
        setattr(sys, f"__{name}__", opened)


def _become(request: Mapping[str, Any]) -> None:
    """Be the command: this returns only by an exception, as the interpreter's last."""
    import runpy

    signal.signal(signal.SIGINT, signal.default_int_handler)
    os.environ.clear()
    os.environ.update(request["env"])
    time.tzset()
    os.chdir(request["cwd"])
    sys.argv[1:] = request["args"]
    runpy.run_module("memory_maintenance", run_name="__main__", alter_sys=True)


def _main() -> None:
    import gc

    with socket.socket(fileno=int(sys.argv[1])) as channel:
        _prepare()
        # Ctrl-C is for the session; this process ends with it.
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        gc.freeze()  # so that collecting doesn't write to, and so copy, each of these pages
        request = _serve(channel)
    if request is not None:
        _become(request)


if __name__ == "__main__":
    _main()
