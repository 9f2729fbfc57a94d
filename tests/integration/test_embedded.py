"""The private server of `--dsn embedded:`, with real processes that come, go and are killed."""

from __future__ import annotations

import os
import shutil
import signal
import stat
import subprocess
from contextlib import ExitStack
from pathlib import Path

import psycopg
import pytest
from psycopg.conninfo import conninfo_to_dict

from memory_maintenance.database import embedded, programs
from memory_maintenance.database.programs import Account, Programs, run_as
from memory_maintenance.database.target import neutralise_environment, resolve
from memory_maintenance.errors import Unavailable, UsageError
from tests.support import debian, directories
from tests.support.processes import (
    answers,
    conninfo_of,
    end,
    is_gone,
    ordinary_account,
    server_pid,
    use,
)
from tests.support.waiting import wait_until

as_root = pytest.mark.skipif(os.geteuid() != 0, reason="needs root")
as_ordinary_user = pytest.mark.skipif(os.geteuid() == 0, reason="needs an ordinary user")

# Clusters of these tests live for a second: no need to wait for the disk.
FAST = {"fsync": "off"}


@pytest.fixture(scope="session")
def made_once(session_directory: Path) -> Path:
    """A directory with a cluster in it that isn't running, to copy."""
    home = session_directory / "made-once"
    with directories.exclusive(session_directory / "made-once-lock"):
        if not home.exists():
            with embedded.start(home, options=FAST):
                pass
    return home


@pytest.fixture
def home(made_once: Path, server_directory: Path) -> Path:
    """A directory of the test's own with a cluster in it that isn't running."""
    place = server_directory / "home"
    subprocess.run(["cp", "-a", str(made_once), str(place)], check=True)
    return place


def one(conninfo: str, query: str) -> object:
    with psycopg.connect(conninfo, autocommit=True) as connection:
        row = connection.execute(query.encode()).fetchone()
    assert row is not None
    return row[0]


# -- coming and going --


def test_a_new_directory_becomes_a_server_that_is_gone_afterwards(server_directory: Path) -> None:
    home = server_directory / "not yet" / "with space and 'quotes\""
    with embedded.start(home, database='odd "name"', options=FAST) as conninfo:
        assert one(conninfo, "SELECT current_database()") == 'odd "name"'
        assert one(conninfo, "SHOW server_encoding") == "UTF8"
        assert one(conninfo, "SHOW timezone") == "UTC"
        assert one(conninfo, "SELECT upper('örtlich')") == "ÖRTLICH"
        pid = server_pid(home)
    assert is_gone(pid)
    assert not answers(conninfo)


def test_settings_are_the_durable_ones_unless_given(home: Path) -> None:
    with embedded.serve(home) as server:
        for name in ("fsync", "synchronous_commit", "full_page_writes"):
            assert one(server.conninfo(), f"SHOW {name}") == "on"
    with embedded.serve(home, options={"work_mem": "7MB", "listen_addresses": "*"}) as server:
        assert one(server.conninfo(), "SHOW work_mem") == "7MB"
        assert one(server.conninfo(), "SHOW listen_addresses") == ""


def test_only_its_owner_gets_to_the_socket_and_nothing_listens_on_tcp(home: Path) -> None:
    with embedded.serve(home) as server:
        mode = stat.S_IMODE(server.socket_directory.stat().st_mode)
        assert mode == 0o700
        assert stat.S_IMODE(server.data_directory.stat().st_mode) == 0o700
        assert one(server.conninfo(), "SHOW listen_addresses") == ""


def test_what_was_written_is_there_at_the_next_start(home: Path) -> None:
    with embedded.start(home) as conninfo, psycopg.connect(conninfo) as connection:
        connection.execute("CREATE TABLE kept AS SELECT 7 AS n")
    with embedded.start(home) as conninfo:
        assert one(conninfo, "SELECT n FROM kept") == 7


def test_blocks_within_one_process_share_the_server(home: Path) -> None:
    with embedded.start(home) as outer:
        with embedded.start(home, database="second") as inner:
            assert one(inner, "SELECT current_database()") == "second"
        assert answers(outer)
    assert not answers(outer)


def test_an_error_in_the_block_stops_the_server_too(home: Path) -> None:
    process = use(home, "--fail")
    conninfo = conninfo_of(process)
    assert end(process) == 1
    assert not answers(conninfo)


def test_the_last_of_two_processes_stops_the_server(home: Path) -> None:
    first, second = use(home), use(home)  # at once: one starts it, the other waits for that
    conninfo = conninfo_of(first)
    assert conninfo_of(second) == conninfo
    pid = server_pid(home)
    assert end(first) == 0
    assert answers(conninfo)
    assert server_pid(home) == pid
    assert end(second) == 0
    assert is_gone(pid)


def test_two_processes_may_create_the_cluster_at_once(server_directory: Path) -> None:
    new = server_directory / "new"
    first, second = use(new), use(new)
    assert conninfo_of(first) == conninfo_of(second)
    assert (end(first), end(second)) == (0, 0)


def test_a_server_asked_to_go_on_does_so_until_it_is_stopped(home: Path) -> None:
    with embedded.start(home, keep_running=True) as conninfo:
        pid = server_pid(home)
    assert answers(conninfo)
    with embedded.start(home):
        assert server_pid(home) == pid
    assert answers(conninfo)
    assert embedded.stop(home)
    assert is_gone(pid)
    assert not embedded.stop(home)


def test_ctrl_c_reaches_the_process_and_not_its_server(home: Path) -> None:
    process = use(home)
    conninfo = conninfo_of(process)
    assert os.getsid(server_pid(home)) != os.getsid(process.pid)
    with psycopg.connect(conninfo) as connection:
        process.send_signal(signal.SIGINT)
        wait_until(lambda: process.poll() is not None)
        assert not answers(conninfo)
        with pytest.raises(psycopg.OperationalError):
            connection.execute("SELECT")


# -- killed --


def test_after_a_killed_process_the_next_one_takes_over_and_stops_the_server(home: Path) -> None:
    process = use(home)
    conninfo = conninfo_of(process)
    pid = server_pid(home)
    process.kill()
    end(process)
    assert answers(conninfo)  # nobody was left to stop it
    with embedded.start(home) as again:
        assert again == conninfo
        assert server_pid(home) == pid
    assert is_gone(pid)


def test_a_killed_server_recovers_at_the_next_start(home: Path) -> None:
    with embedded.start(home) as conninfo:
        with psycopg.connect(conninfo) as connection:
            connection.execute("CREATE TABLE kept AS SELECT 7 AS n")
        pid = server_pid(home)
        os.kill(pid, signal.SIGKILL)
        wait_until(lambda: not answers(conninfo))
    with embedded.start(home) as again:
        assert one(again, "SELECT n FROM kept") == 7
        assert server_pid(home) != pid


def test_a_server_and_its_process_killed_together_leave_a_working_directory(home: Path) -> None:
    process = use(home)
    conninfo_of(process)
    os.kill(server_pid(home), signal.SIGKILL)
    process.kill()
    end(process)
    with embedded.start(home) as again:
        assert answers(again)


def test_a_pid_that_meanwhile_is_somebody_elses_is_left_alone(home: Path) -> None:
    with embedded.serve(home) as server:
        lines = (server.data_directory / "postmaster.pid").read_text().splitlines()
        os.kill(server.pid, signal.SIGKILL)
        wait_until(lambda: not answers(server.conninfo()))
    # The file of a killed server, whose pid is now that of this very test.
    stale = home / "data" / "postmaster.pid"
    stale.write_text("\n".join([str(os.getpid()), *lines[1:]]) + "\n")
    assert not embedded.stop(home)
    with embedded.serve(home) as server:
        assert answers(server.conninfo())


@pytest.mark.parametrize("content", ["", "4711\n", "4711\n/some/dir\n"])
def test_a_half_written_pid_file_stops_nothing(home: Path, content: str) -> None:
    with embedded.serve(home) as server:
        os.kill(server.pid, signal.SIGKILL)
        wait_until(lambda: not answers(server.conninfo()))
    pid_file = home / "data" / "postmaster.pid"
    pid_file.write_text(content.replace("4711", "999999"))
    with embedded.serve(home) as server:
        assert answers(server.conninfo())


def test_an_interrupted_creation_is_done_anew(server_directory: Path) -> None:
    new = server_directory / "new"
    new.mkdir(mode=0o711)
    new.chmod(0o711)
    (new / embedded.MARKER).touch()
    (new / "data.new").mkdir()
    (new / "data.new" / "PG_VERSION").write_text("18\n")
    with embedded.start(new, options=FAST) as conninfo:
        assert answers(conninfo)
    assert not (new / "data.new").exists()


def test_a_server_started_by_hand_is_left_alone(home: Path) -> None:
    account = Account.of((home / "data").stat().st_uid, (home / "data").stat().st_gid)
    pg_ctl = [Programs.from_wheel().path("pg_ctl"), "-w", "-D", str(home / "data")]
    by_hand = ["-o", "-h ''", "-o", f"-k {home / 'run'}", "start"]
    (home / "run").mkdir(mode=0o700)
    os.chown(home / "run", account.uid, account.gid)
    assert run_as(account, [*pg_ctl, *by_hand]).returncode == 0
    pid = server_pid(home)
    with pytest.raises(Unavailable, match=f"by process {pid}"), embedded.serve(home):
        pass
    assert server_pid(home) == pid
    assert (home / "run" / ".s.PGSQL.5432").exists()
    assert run_as(account, [*pg_ctl, "stop"]).returncode == 0


def test_a_server_that_takes_no_more_connections_is_one_that_runs(home: Path) -> None:
    few = {
        "max_connections": "4",
        "superuser_reserved_connections": "0",
        "reserved_connections": "0",
    }
    with embedded.serve(home, options=few) as server, ExitStack() as stack:
        for _ in range(4):
            stack.enter_context(psycopg.connect(server.conninfo()))
        with embedded.serve(home) as second:
            assert second == server


def test_a_server_that_cannot_start_says_why(home: Path) -> None:
    with (
        pytest.raises(Unavailable, match=r"invalid value for parameter \"work_mem\""),
        embedded.serve(home, options={"work_mem": "plenty"}),
    ):
        pass
    with embedded.serve(home) as server:  # and the attempt left nothing locked
        assert answers(server.conninfo())


# -- directories --


def test_a_path_too_long_for_a_socket_works(home: Path, server_directory: Path) -> None:
    long = server_directory / ("long" * 20) / ("er" * 20) / "home"
    long.parent.mkdir(parents=True)
    for place in long.parents:
        if place.is_relative_to(server_directory):
            place.chmod(0o711)
    home.rename(long)
    with embedded.serve(long) as server:
        assert answers(server.conninfo())
        elsewhere = server.socket_directory
        assert stat.S_IMODE(elsewhere.stat().st_mode) == 0o700
        with embedded.serve(long) as second:
            assert second.socket_directory == elsewhere
    assert not elsewhere.exists()
    with embedded.serve(long) as server:  # killed: the next start clears the old socket away
        elsewhere = server.socket_directory
        os.kill(server.pid, signal.SIGKILL)
        wait_until(lambda: not answers(server.conninfo()))
    with embedded.serve(long):
        assert not elsewhere.exists()


def test_a_directory_with_something_else_is_refused_and_not_touched(server_directory: Path) -> None:
    (server_directory / "precious").write_text("data")
    before = server_directory.stat()
    with (
        pytest.raises(UsageError, match="holds something else") as caught,
        embedded.start(server_directory),
    ):
        pass
    assert caught.value.exit_code == 2
    after = server_directory.stat()
    assert [entry.name for entry in server_directory.iterdir()] == ["precious"]
    assert (before.st_mode, before.st_uid, before.st_mtime_ns) == (
        after.st_mode,
        after.st_uid,
        after.st_mtime_ns,
    )


def test_somebodys_own_data_directory_is_refused_and_not_touched(home: Path) -> None:
    data = home / "data"
    before = sorted(entry.name for entry in data.iterdir())
    with (
        pytest.raises(UsageError, match="data directory of PostgreSQL 18, not one of ours"),
        embedded.start(data),
    ):
        pass
    assert sorted(entry.name for entry in data.iterdir()) == before


def test_a_cluster_of_another_major_version_is_refused(home: Path) -> None:
    (home / "data" / "PG_VERSION").write_text("15\n")
    with (
        pytest.raises(UsageError, match="is of PostgreSQL 15, but the programs are of PostgreSQL"),
        embedded.start(home),
    ):
        pass


def test_a_file_in_place_of_the_directory_is_refused(server_directory: Path) -> None:
    file = server_directory / "file"
    file.touch()
    for place in (file, file / "below"):
        with pytest.raises(UsageError, match="can't use"), embedded.start(place):
            pass


def test_a_name_with_a_newline_is_refused(server_directory: Path) -> None:
    with (
        pytest.raises(UsageError, match="control characters"),
        embedded.start(server_directory / "a\nb"),
    ):
        pass


@pytest.mark.parametrize("name", ["", "x" * 64, "ü" * 32, "a\0b"])
def test_a_database_name_that_would_be_cut_is_refused(server_directory: Path, name: str) -> None:
    with (
        pytest.raises(UsageError, match="1 to 63 are allowed"),
        embedded.start(server_directory / "new", database=name),
    ):
        pass
    assert not (server_directory / "new").exists()


def test_a_directory_that_everybody_may_write_to_is_refused(server_directory: Path) -> None:
    server_directory.chmod(0o777)
    with pytest.raises(UsageError, match="everybody may write"), embedded.start(server_directory):
        pass


@as_ordinary_user
def test_a_directory_that_may_not_be_written_is_refused(server_directory: Path) -> None:
    server_directory.chmod(0o555)
    for place in (server_directory, server_directory / "new"):
        with pytest.raises(UsageError, match="Permission denied"), embedded.start(place):
            pass
    server_directory.chmod(0o711)


def test_an_ordinary_account_may_not_write_everywhere(server_directory: Path) -> None:
    process = use(server_directory / "new", account=ordinary_account())
    _, complaint = process.communicate("", timeout=60)
    assert process.returncode == 2
    assert "Permission denied" in complaint


def test_without_the_wheel_the_message_says_how_to_get_it(
    server_directory: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(programs, "WHEEL", "no_such_package_anywhere")
    with pytest.raises(UsageError) as caught, embedded.start(server_directory / "new"):
        pass
    assert caught.value.remedy == "pip install 'memory-maintenance[embedded]'"
    assert not (server_directory / "new").exists()


def test_the_default_directory_is_below_the_data_directory_of_the_user(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    expected = tmp_path / "memory-maintenance" / "embedded"
    if os.geteuid() == 0:
        expected = Path("/var/lib/memory-maintenance/embedded")
    assert embedded.default_directory() == expected


# -- accounts --


def test_root_and_an_ordinary_user_come_one_after_the_other(server_directory: Path) -> None:
    account = ordinary_account()
    theirs = server_directory / "theirs"
    theirs.mkdir()
    os.chown(theirs, account.uid, account.gid)
    theirs.chmod(0o700)
    process = use(theirs, account=account)
    conninfo_of(process)
    assert end(process) == 0
    with embedded.serve(server_directory / "roots", options=FAST) as server:
        assert server.data_directory.stat().st_uid == Account.unprivileged().uid
    with embedded.serve(theirs) as server:  # root in a user's directory: it stays the user's
        assert server.data_directory.stat().st_uid == account.uid
    process = use(theirs, account=account)
    conninfo_of(process)
    assert end(process) == 0
    process = use(server_directory / "roots", account=account)
    _, complaint = process.communicate("", timeout=60)
    assert process.returncode == 2
    assert str(server_directory / "roots") in complaint


@as_root
def test_root_never_opens_a_directory_to_others(server_directory: Path) -> None:
    closed = server_directory / "closed"
    closed.mkdir(mode=0o700)
    with (
        pytest.raises(UsageError, match=f"may not enter {closed}") as caught,
        embedded.start(closed / "home"),
    ):
        pass
    assert str(embedded.ROOT_DIRECTORY) in str(caught.value.remedy)
    assert stat.S_IMODE(closed.stat().st_mode) == 0o700


@as_root
def test_roots_directory_stays_roots_and_only_data_and_socket_are_the_servers(home: Path) -> None:
    with embedded.serve(home):
        owners = {entry.name: entry.stat().st_uid for entry in home.iterdir()}
    assert {name for name, uid in owners.items() if uid != 0} == {"data", "run"}
    assert home.stat().st_uid == 0


@as_root
def test_programs_that_the_servers_account_cannot_read_are_copied(
    server_directory: Path,
) -> None:
    wheel = Programs.from_wheel()
    package = wheel.bin.parent.parent
    closed = server_directory / "closed"
    closed.mkdir(mode=0o700)
    shutil.copytree(wheel.bin.parent, closed / package.name / wheel.bin.parent.name, symlinks=True)
    libraries = package.with_name(f"{package.name}.libs")
    shutil.copytree(libraries, closed / libraries.name)
    moved = Programs(closed / package.name / wheel.bin.parent.name / "bin", wheel.major, "test")
    home = server_directory / "home"
    for _ in range(2):
        if os.statvfs(server_directory).f_flag & os.ST_NOEXEC:
            pytest.skip(f"needs a file system that programs may be executed on, {home} isn't")
        with embedded.serve(home, options=FAST, programs=moved) as server:
            assert answers(server.conninfo())
    assert stat.S_IMODE(closed.stat().st_mode) == 0o700
    assert (home / "programs-18-test").stat().st_uid == 0


# -- from a DSN --


def test_a_target_is_reached_through_its_private_server(home: Path) -> None:
    target = resolve(
        dsn=f"embedded:{home}?dbname=trial",
        environ={},
        settings_dsn=None,
        home=Path("/nonexistent"),
    )
    with embedded.reach(target) as reached:
        assert one(reached.conninfo, "SELECT current_database()") == "trial"
    elsewhere = resolve(dsn="host=db", environ={}, settings_dsn=None, home=Path("/nonexistent"))
    with embedded.reach(elsewhere) as reached:
        assert reached == elsewhere


def test_addresses_in_the_environment_lead_nowhere_else(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PGHOSTADDR", "192.0.2.1")
    monkeypatch.setenv("PGPORT", "1")
    monkeypatch.setenv("PGDATABASE", "elsewhere")
    with embedded.start(home) as conninfo:
        assert one(conninfo, "SELECT current_database()") == "memory_maintenance"
        assert conninfo_to_dict(conninfo)["host"] == str(home / "run")


def test_a_service_in_the_environment_is_named_or_neutralised(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PGSERVICE", "no-such-service")
    dsn = f"embedded:{home}"
    target = resolve(dsn=dsn, environ={}, settings_dsn=None, home=Path("/nonexistent"))
    with pytest.raises(Unavailable, match="libpq") as caught, embedded.reach(target):
        pass
    assert "PGSERVICE" in str(caught.value.remedy)
    neutralise_environment(os.environ, target)
    with embedded.reach(target) as reached:
        assert answers(reached.conninfo)


def test_the_launcher_also_drives_debians_postgresql_15(server_directory: Path) -> None:
    with embedded.serve(
        server_directory / "fifteen", options=FAST, programs=debian.programs_15()
    ) as server:
        assert str(one(server.conninfo(), "SHOW server_version_num")).startswith("15")
