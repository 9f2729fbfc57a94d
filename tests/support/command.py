"""The command as users run it, in a clean environment.

cli    as a process of its own; forked where that makes no difference, see forking
call   the same entry point within the tests' process, which takes a tenth of the time
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Protocol

import pytest

from tests.support.forking import Forker

_UNSET = ("COLUMNS", "LINES", "NO_COLOR", "FORCE_COLOR", "CLICOLOR", "CI", "TZ")
_UNSET_PREFIXES = ("MEMORY_MAINTENANCE_", "PG", "XDG_", "PYTEST_", "COV_", "GITHUB_")


def clean_environment(home: Path) -> dict[str, str]:
    """The environment of this process without anything that could steer the command.

    HOME and XDG below home.
    """
    environment = {
        name: value
        for name, value in os.environ.items()
        if name not in _UNSET and not name.startswith(_UNSET_PREFIXES)
    }
    environment["HOME"] = str(home)
    environment["TERM"] = "dumb"
    for name in ("CONFIG_HOME", "DATA_HOME", "STATE_HOME", "CACHE_HOME", "RUNTIME_DIR"):
        directory = home / "xdg" / name.lower()
        directory.mkdir(parents=True, exist_ok=True, mode=0o700)
        environment[f"XDG_{name}"] = str(directory)
    environment["XDG_CONFIG_DIRS"] = str(home / "xdg" / "none")
    return environment


class Command(Protocol):
    """Runs `memory-maintenance` with args to its end.

    input: its standard input, else none. env: added to the clean environment. timeout: seconds,
    after which it is killed and subprocess.TimeoutExpired raised.
    """

    def __call__(
        self,
        *args: str,
        input: str | None = None,  # noqa: A002 (named as in subprocess.run)
        env: Mapping[str, str] | None = None,
        timeout: float = 60,
    ) -> subprocess.CompletedProcess[str]: ...


class Call(Protocol):
    """Runs the command's entry point with args. env: added to the clean environment."""

    def __call__(
        self, *args: str, env: Mapping[str, str] | None = None
    ) -> subprocess.CompletedProcess[str]: ...


@pytest.fixture
def clean_env(tmp_path: Path) -> dict[str, str]:
    """The environment that `cli` gives to its command."""
    home = tmp_path / "home"
    home.mkdir(exist_ok=True)
    return clean_environment(home)


@pytest.fixture
def cli(clean_env: dict[str, str], tmp_path: Path, forker: Forker) -> Command:
    """The command as a subprocess, with its own HOME."""

    def run(
        *args: str,
        input: str | None = None,  # noqa: A002
        env: Mapping[str, str] | None = None,
        timeout: float = 60,
    ) -> subprocess.CompletedProcess[str]:
        if forker.can(args, env or {}, input or ""):
            process = forker.start(args, {**clean_env, **(env or {})}, tmp_path, input or "")
            try:
                out, err = process.communicate(timeout)
            except subprocess.TimeoutExpired:
                process.kill()
                raise
            return subprocess.CompletedProcess(args, process.wait(), out, err)
        return subprocess.run(
            [sys.executable, "-m", "memory_maintenance", *args],
            check=False,
            capture_output=True,
            text=True,
            input=input or "",
            env={**clean_env, **(env or {})},
            timeout=timeout,
            cwd=tmp_path,
        )

    return run


@pytest.fixture
def call(
    capsys: pytest.CaptureFixture[str],
    clean_env: dict[str, str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> Call:
    """As `cli`, without a process: for cases where that makes no difference."""
    from memory_maintenance.cli.main import main

    def run(*args: str, env: Mapping[str, str] | None = None) -> subprocess.CompletedProcess[str]:
        with monkeypatch.context() as patched:
            patched.chdir(tmp_path)
            for name in set(os.environ) - set(clean_env):
                patched.delenv(name)
            for name, value in {**clean_env, **(env or {})}.items():
                patched.setenv(name, value)
            code = main(args)
        captured = capsys.readouterr()
        return subprocess.CompletedProcess(args, code, captured.out, captured.err)

    return run
