"""What holds for every command: options, streams, exit codes, messages. No database is needed."""

from __future__ import annotations

import fcntl
import json
import os
import pty
import re
import struct
import subprocess
import sys
import termios
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from memory_maintenance import __version__
from memory_maintenance.cli.main import COMMANDS, EXIT_CODES
from memory_maintenance.cli.options import SharedOptions, bind
from memory_maintenance.model.result import Result

ROOT = Path(__file__).parents[2]
REAL = "memory_maintenance"
FAKE = "tests.e2e.shell_commands"
ESCAPE = "\x1b"


class Shell:
    """Starts a program's module in a clean environment."""

    def __init__(self, environment: Mapping[str, str]) -> None:
        self.environment = {**environment, "PYTHONPATH": str(ROOT)}

    def argv(self, *args: str, module: str = FAKE) -> list[str]:
        return [sys.executable, "-m", module, *args]

    def __call__(
        self, *args: str, module: str = FAKE, env: Mapping[str, str] | None = None, **more: Any
    ) -> subprocess.CompletedProcess[str]:
        captured = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
        return subprocess.run(
            self.argv(*args, module=module),
            check=False,
            text=True,
            timeout=60,
            env={**self.environment, **(env or {})},
            stdin=subprocess.DEVNULL,
            **{**captured, **more},
        )

    def on_terminal(
        self, args: Sequence[str], *, env: Mapping[str, str] | None = None, columns: int = 80
    ) -> str:
        """What a terminal of this width receives on stdout."""
        leader, follower = pty.openpty()
        fcntl.ioctl(follower, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
        done = self(*args, env=env, stdout=follower)
        os.close(follower)
        received = os.read(leader, 1 << 16)
        os.close(leader)
        assert done.returncode == 0, done.stderr
        return received.decode().replace("\r\n", "\n")


@pytest.fixture
def shell(clean_env: dict[str, str]) -> Shell:
    return Shell(clean_env)


# --- exit codes and messages ---------------------------------------------------------------------


@pytest.mark.parametrize(
    ("how", "code", "message"),
    [
        ("usage", 2, "error: no such table\n  try: name one\n"),
        ("unavailable", 69, "error: no answer from db:5432\n  try: start it\n"),
        ("refused", 70, "error: the server refused\n"),
        ("busy", 75, "error: run 7 holds the lock\n  try: try again later\n"),
        ("denied", 77, "error: no right to entity_facts\n"),
    ],
)
@pytest.mark.parametrize("format_", ["text", "json"])
def test_an_error_says_what_and_what_next_on_stderr_and_has_its_code(
    shell: Shell, how: str, code: int, message: str, format_: str
) -> None:
    done = shell("end", "--how", how, "--format", format_)
    assert (done.returncode, done.stdout, done.stderr) == (code, "", message)


def test_a_wrong_configuration_is_reported_fault_by_fault(shell: Shell) -> None:
    done = shell("end", "--how", "config")
    assert done.returncode == 2
    assert done.stderr.splitlines() == [
        "error: the configuration has 2 faults",
        "  memory.yaml:3: durability.mood.half_life is soon; a duration such as 36h or never",
        "  memory.yaml:9: archive.min_age is soon; a duration such as 36h or never",
    ]


@pytest.mark.parametrize(
    ("how", "code", "name"),
    [("sigint", 130, "SIGINT"), ("sigterm", 143, "SIGTERM"), ("interrupted", 143, "SIGTERM")],
)
def test_a_signal_ends_with_its_code_and_a_line(
    shell: Shell, how: str, code: int, name: str
) -> None:
    done = shell("end", "--how", how)
    assert done.returncode == code
    assert done.stderr.startswith(f"error: interrupted by {name}\n")
    assert "Traceback" not in done.stderr


def test_findings_are_a_result_with_exit_code_1(shell: Shell) -> None:
    done = shell("show", "--findings")
    assert done.returncode == 1
    assert "problem: something is wrong\n" in done.stdout


def test_the_unforeseen_is_one_line_and_exit_code_70(shell: Shell) -> None:
    done = shell("end", "--how", "unforeseen")
    assert (done.returncode, done.stdout) == (70, "")
    assert done.stderr == (
        "internal error: KeyError: 'no\\nkey'\n  try: repeat with -v for the traceback\n"
    )


def test_the_unforeseen_has_its_traceback_under_v(shell: Shell) -> None:
    done = shell("end", "--how", "unforeseen", "-v")
    assert done.returncode == 70
    assert done.stderr.startswith("Traceback (most recent call last):\n")
    assert "internal error: KeyError" in done.stderr


@pytest.mark.parametrize("verbosity", [[], ["-v"]])
def test_no_password_gets_out_through_the_unforeseen(shell: Shell, verbosity: list[str]) -> None:
    done = shell(
        "end", "--how", "leak", "--dsn", "postgres://joe:hunter3@h/db", *verbosity,
        env={"PGPASSWORD": "hunter2"},
    )  # fmt: skip
    assert done.returncode == 70
    assert "bad dsn" in done.stderr
    assert not re.search(r"s3|cr3t|hunter", done.stderr)


def test_a_dsn_in_the_wrong_place_is_echoed_without_its_password(shell: Shell) -> None:
    done = shell("end", "--how", "busy", "postgres://joe:s3cr3t@h/db")
    assert done.returncode == 2
    assert "joe" in done.stderr
    assert "s3cr3t" not in done.stderr


def test_escape_sequences_in_a_message_are_shown_and_not_obeyed(shell: Shell) -> None:
    done = shell("end", "--how", "hostile")
    assert done.stderr == "error: duplicate key (\\x1b[2Jx)\n"


# --- usage ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("args", "complaint"),
    [
        (["shwo"], "no such command: shwo; did you mean show?"),
        (["--nope"], "no such option: --nope"),
        (["show", "--nope"], "no such option: --nope"),
        (["show", "--format", "xml"], "'xml' is none of text, json"),
        (["show", "--rows", "many"], "--rows"),
        (["show", "-q", "-v"], "-q and -v contradict each other"),
        (["show", "--as-of", "2026-06-01T00:00:00"], "has no zone; write it like"),
        (["show", "--as-of", "tomorrow"], "is no instant; write it like"),
        (["end"], "missing option"),
    ],
)
def test_wrong_usage_is_exit_code_2_and_a_plain_message(
    shell: Shell, args: list[str], complaint: str
) -> None:
    done = shell(*args)
    assert (done.returncode, done.stdout) == (2, "")
    assert complaint in done.stderr
    assert done.stderr.startswith("error: ")
    assert "\n  try: " in done.stderr


def test_a_bare_call_shows_the_help_as_an_error(shell: Shell) -> None:
    done = shell(module=REAL)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == shell("--help", module=REAL).stdout


def test_shared_options_stand_anywhere_after_the_command(shell: Shell) -> None:
    told = ["--dsn", "host=h", "--table", "t", "--config", "c.yaml", "--format", "json"]
    first = shell("show", *told, "text", "--rows", "2")
    last = shell("show", "text", "--rows", "2", *told)
    assert first.returncode == 0
    assert first.stdout == last.stdout
    assert json.loads(first.stdout)["options"] == {
        "dsn": "host=h",
        "table": "t",
        "config": "c.yaml",
    }


def test_as_of_is_an_instant_in_utc_and_now_by_default(shell: Shell) -> None:
    def as_of(*args: str) -> object:
        return json.loads(shell("show", "--format", "json", *args).stdout)["as_of"]

    assert as_of("--as-of", "2026-06-01T02:00:00+02:00") == "2026-06-01T00:00:00+00:00"
    assert as_of("--as-of", "now") is None
    assert as_of() is None


def test_a_command_can_be_called_without_the_shell() -> None:
    def command(shared: SharedOptions, rows: int = 3) -> Result:
        return Result(command=f"{shared.format} {rows}")

    call = bind(command)(
        dsn=None, config=None, table=None, format="json", quiet=False, verbose=0, rows=4
    )
    assert call.run().command == "json 4"


def test_a_command_must_take_the_shared_options_first_and_none_of_their_names() -> None:
    def without(rows: int) -> Result:
        raise NotImplementedError

    def twice(shared: SharedOptions, table: str) -> Result:
        raise NotImplementedError

    with pytest.raises(TypeError, match="isn't SharedOptions"):
        bind(without)
    with pytest.raises(TypeError, match="table is a shared option"):
        bind(twice)


# --- help and version ----------------------------------------------------------------------------


def test_the_help_names_every_command_and_exit_code_within_80_columns(shell: Shell) -> None:
    text = shell("--help", module=REAL, env={"COLUMNS": "200"}).stdout
    assert max(map(len, text.splitlines())) <= 80
    for command in COMMANDS:
        assert re.search(rf"^  {command.name} +{re.escape(command.help)}$", text, re.MULTILINE)
    for code, meaning in EXIT_CODES.items():
        assert re.search(rf"^  {code} +{re.escape(meaning)}$", text, re.MULTILINE)


@pytest.mark.parametrize("name", ["check-config"])
def test_the_help_of_a_command_fits_and_names_its_exit_codes(shell: Shell, name: str) -> None:
    done = shell(name, "--help", module=REAL)
    assert done.returncode == 0, done.stderr
    assert max(map(len, done.stdout.splitlines())) <= 80
    (command,) = (c for c in COMMANDS if c.name == name)
    codes = re.findall(r"^  (\d+) ", done.stdout.partition("Exit codes:")[2], re.MULTILINE)
    assert [int(code) for code in codes] == [*command.exits, 130, 143]


def test_the_version_names_what_a_bug_report_needs(shell: Shell) -> None:
    text = shell("--version", module=REAL).stdout
    assert text.startswith(f"memory-maintenance {__version__}\nPython 3.")
    assert re.search(r"^psycopg \d+\.\d+\S*, libpq \d+\.\d+$", text, re.MULTILINE)


def test_help_imports_neither_driver_nor_models_nor_rich(shell: Shell) -> None:
    program = (
        "import sys, typer; before = set(sys.modules)\n"
        "from memory_maintenance.cli.main import main\n"
        "assert main(['--help']) == 0\n"
        "new = {name.partition('.')[0] for name in set(sys.modules) - before}\n"
        "sys.exit(' '.join(new & {'psycopg', 'pydantic', 'rich', 'yaml', 'dateutil'}))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program],
        env=shell.environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stderr == "\n"


# --- stdout --------------------------------------------------------------------------------------


def test_json_is_one_document_of_ascii_with_a_newline(shell: Shell) -> None:
    done = shell("show", "naïve 中\x1b", "--format", "json", "-q")
    assert done.stdout.isascii()
    assert done.stdout.endswith("}\n")
    assert json.loads(done.stdout)["text"] == "naïve 中\x1b"


def test_a_pipe_gets_80_columns_and_no_escapes(shell: Shell) -> None:
    done = shell("show", "word " * 60, env={"COLUMNS": "200", "TERM": "xterm-256color"})
    assert ESCAPE not in done.stdout
    lines = done.stdout.splitlines()
    assert 70 < max(map(len, lines)) <= 80
    assert all(line == line.rstrip() for line in lines)


def test_a_terminal_gets_its_own_width_and_colour(shell: Shell) -> None:
    received = shell.on_terminal(["show", "word " * 60], env={"TERM": "xterm"}, columns=120)
    assert ESCAPE in received
    assert 110 < max(len(re.sub(r"\x1b\[[0-9;]*m", "", x)) for x in received.splitlines()) <= 120


@pytest.mark.parametrize("env", [{"NO_COLOR": "1", "TERM": "xterm"}, {"TERM": "dumb"}])
def test_a_terminal_that_wants_no_colour_gets_none(shell: Shell, env: dict[str, str]) -> None:
    assert ESCAPE not in shell.on_terminal(["show"], env=env)


def test_quiet_is_silent_unless_something_is_wrong(shell: Shell) -> None:
    well = shell("show", "-q")
    assert (well.returncode, well.stdout, well.stderr) == (0, "", "")
    ill = shell("show", "-q", "--findings")
    assert (ill.returncode, ill.stdout, ill.stderr) == (1, "problem: something is wrong\n", "")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="/dev/full isn't here")
@pytest.mark.parametrize("args", [["show"], ["--help"], ["show", "--rows", "500"]])
def test_a_full_disk_is_an_error_and_no_traceback(shell: Shell, args: list[str]) -> None:
    with Path("/dev/full").open("w") as full:
        done = shell(*args, stdout=full)
    assert done.returncode == 70
    assert "error: the result can't be written to standard output: No space" in done.stderr
    assert "Traceback" not in done.stderr
    assert "Exception" not in done.stderr


def test_a_closed_stdout_is_an_error_unless_there_is_nothing_to_say(shell: Shell) -> None:
    def closed(*args: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            ["/bin/sh", "-c", 'exec "$@" >&-', "sh", *shell.argv(*args)],
            env=shell.environment,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )

    assert closed("show").returncode == 70
    assert "it is closed" in closed("show").stderr
    assert closed("show", "-q").returncode == 0


@pytest.mark.parametrize(("extra", "code"), [([], 0), (["--findings"], 1)])
def test_a_reader_who_leaves_early_changes_nothing(
    shell: Shell, extra: list[str], code: int
) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    with os.fdopen(writer, "w") as nobody:
        done = shell("show", "--rows", "500", *extra, stdout=nobody)
    assert done.returncode == code
    assert done.stderr == "warning: look out\n"


@pytest.mark.parametrize(
    "env", [{"LC_ALL": "C"}, {"PYTHONIOENCODING": "ascii"}, {"PYTHONIOENCODING": "latin-1"}]
)
def test_text_that_the_locale_lacks_is_escaped(shell: Shell, env: dict[str, str]) -> None:
    done = shell("show", "中 \udc80 x", env=env, encoding="utf-8", errors="strict")
    assert done.returncode == 0, done.stderr
    assert "\\udc80" in done.stdout
    assert "中" in done.stdout or "\\u4e2d" in done.stdout


# --- logging -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("flags", "lines"),
    [
        (["-q"], []),
        ([], ["warning: look out"]),
        (["-v"], ["info: on my way", "warning: look out"]),
        (["-vv"], ["debug: looking closely", "info: on my way", "warning: look out"]),
    ],
)
def test_logs_go_to_stderr_as_loud_as_told(
    shell: Shell, flags: list[str], lines: list[str]
) -> None:
    done = shell("show", *flags, "--format", "json")
    assert done.stderr.splitlines() == lines
    json.loads(done.stdout)
