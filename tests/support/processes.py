"""Other processes that use an embedded server, also under an ordinary account."""

from __future__ import annotations

import os
import pwd
import shutil
import subprocess
import sys
from pathlib import Path

import psycopg
import pytest

from memory_maintenance.database import embedded
from memory_maintenance.database.programs import Account, run_as

ROOT = Path(__file__).parents[2]


def ordinary_account() -> Account:
    """An account that isn't root's and isn't the one root's servers run as; needs root."""
    if os.geteuid() != 0:
        pytest.skip("needs root, to act as two accounts one after the other")
    for name in ("nobody", "daemon", "bin"):
        entry = pwd.getpwnam(name)
        if entry.pw_uid != Account.unprivileged().uid:
            return Account(entry.pw_uid, entry.pw_gid, name)
    raise AssertionError("no ordinary account")


def interpreter_for(account: Account | None) -> tuple[str, dict[str, str]]:
    """A Python that account can execute, and the environment in which it finds our packages."""
    packages = str(Path(psycopg.__file__).parents[1])
    environment = {"PATH": os.environ["PATH"], "PYTHONPATH": f"{ROOT}{os.pathsep}{packages}"}
    if account is None:
        return sys.executable, environment
    version = f"python{sys.version_info.major}.{sys.version_info.minor}"
    for candidate in (sys.executable, shutil.which(version, path="/usr/local/bin:/usr/bin")):
        if candidate is not None:
            code = ["-c", f"import sys; sys.path.insert(0, {packages!r}); import psycopg"]
            try:
                if run_as(account, [candidate, *code]).returncode == 0:
                    return candidate, environment
            except PermissionError:
                continue
    pytest.skip(f"needs a {version} that an ordinary account can execute")


def use(
    directory: Path, *flags: str, account: Account | None = None, home: Path | None = None
) -> subprocess.Popen[str]:
    """Start tests.support.embedded_user. account: whom to become, which takes root."""
    python, environment = interpreter_for(account)
    if home is not None:
        environment["HOME"] = str(home)
    return subprocess.Popen(
        [python, "-m", "tests.support.embedded_user", str(directory), *flags],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environment,
        cwd="/",
        user=None if account is None else account.uid,
        group=None if account is None else account.gid,
        extra_groups=None if account is None else (),
    )


def conninfo_of(process: subprocess.Popen[str]) -> str:
    """What the process printed when its server was there; AssertionError if it failed."""
    assert process.stdout is not None
    line = process.stdout.readline().strip()
    if not line:
        _, complaint = process.communicate(timeout=60)
        raise AssertionError(f"exit {process.returncode}: {complaint}")
    return line


def end(process: subprocess.Popen[str]) -> int:
    """Let the process end by itself; its exit code."""
    process.communicate("", timeout=60)
    return process.returncode


def answers(conninfo: str) -> bool:
    """Whether a server takes connections there."""
    try:
        psycopg.connect(conninfo).close()
    except psycopg.OperationalError:
        return False
    return True


def server_pid(directory: Path) -> int:
    """The postmaster's process id of the server in directory."""
    return embedded.Embedded(directory, directory / "run").pid


def is_gone(pid: int) -> bool:
    """Whether no process has this id, but for a zombie that waits for its parent."""
    try:
        os.kill(pid, 0)
        status = Path(f"/proc/{pid}/stat")
        return status.exists() and status.read_text().rpartition(")")[2].split()[0] == "Z"
    except (ProcessLookupError, FileNotFoundError):
        return True
