"""Lines on stderr: for people, or as JSON for collectors."""

from __future__ import annotations

import json
import logging
import warnings
from datetime import datetime
from typing import Any
from unittest.mock import patch

import pytest

from memory_maintenance.cli.logs import Log, known, logging_to_stderr, wanted_form
from memory_maintenance.cli.main import main
from memory_maintenance.cli.options import SharedOptions
from memory_maintenance.cli.parser import Command
from memory_maintenance.cli.secrets import scrubber
from memory_maintenance.errors import ConfigError, ConfigProblem
from memory_maintenance.model.result import Result

SCRUB = scrubber({"PGPASSWORD": "hunter2"}, [])


def lines(text: str) -> list[dict[str, Any]]:
    """The objects, one a line, of ASCII only."""
    assert text.isascii()
    return [json.loads(line) for line in text.splitlines()]


def logged(
    form: str, capsys: pytest.CaptureFixture[str], shared: SharedOptions | None = None
) -> str:
    """Some lines at each level, ours and another's."""
    # Without pytest's own handlers: a report with half a character doesn't get from a worker to its master.
    with (
        patch.object(logging.getLogger(), "handlers", []),
        logging_to_stderr(shared or SharedOptions(), Log(form, SCRUB, "run")),
    ):
        ours = logging.getLogger("memory_maintenance.test")
        ours.warning("with %s\nand \x1b[31m é \ud800", "hunter2")
        known(table="public.entity_facts", step=lambda: "decay")
        ours.info("for -v")
        logging.getLogger("httpx").info("HTTP Request: POST https://secret")
        logging.getLogger("httpx").warning("password=x1")
        try:
            raise ValueError("hunter2")
        except ValueError:
            ours.exception("broken")
    return capsys.readouterr().err


def test_text_is_as_it_was(capsys: pytest.CaptureFixture[str]) -> None:
    text = logged("text", capsys)
    assert text.startswith("warning: with ***\nand \\x1b[31m é \\ud800\nwarning: password=***\n")
    assert "error: broken\nTraceback" in text
    assert "hunter2" not in text


@pytest.mark.parametrize(
    ("verbose", "said"), [(0, ""), (1, "warning: error ignored in rollback\n")]
)
def test_the_drivers_own_warnings_are_for_who_asks_for_more(
    verbose: int, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    before = logging.getLogger("psycopg").level
    with (
        patch.object(logging.getLogger(), "handlers", []),
        logging_to_stderr(SharedOptions(verbose=verbose), Log("text", SCRUB, "run")),
    ):
        logging.getLogger("psycopg").warning("error ignored in rollback")
    assert capsys.readouterr().err == said
    assert logging.getLogger("psycopg").level == before


def test_json_is_one_object_a_line(capsys: pytest.CaptureFixture[str]) -> None:
    text = logged("json", capsys)
    first, second, third = lines(text)
    assert "hunter2" not in text
    at = datetime.fromisoformat(first.pop("timestamp"))
    assert at.utcoffset() is not None
    assert not at.utcoffset()
    assert first == {
        "level": "warning",
        "logger": "memory_maintenance.test",
        "message": "with ***\nand \x1b[31m é \ud800",
        "command": "run",
    }
    assert (second["logger"], second["message"]) == ("httpx", "password=***")
    assert (second["table"], second["step"]) == ("public.entity_facts", "decay")
    assert third["level"] == "error"
    assert "ValueError: ***" in third["traceback"]


def test_a_line_that_cannot_be_put_together_ends_no_command(
    capsys: pytest.CaptureFixture[str],
) -> None:
    for form in ("text", "json"):
        with (
            patch.object(logging.getLogger(), "handlers", []),
            logging_to_stderr(SharedOptions(), Log(form, SCRUB)),
        ):
            logging.getLogger("httpx").warning("%d rows", "no number")
    text, document = capsys.readouterr().err.splitlines()
    assert text == "warning: %d rows"
    assert json.loads(document)["message"] == "%d rows"


def warned(form: str, shared: SharedOptions) -> None:
    """A warning of Python's own."""
    with (
        patch.object(logging.getLogger(), "handlers", []),
        warnings.catch_warnings(),
        logging_to_stderr(shared, Log(form, SCRUB)),
    ):
        warnings.simplefilter("always")
        warnings.warn_explicit("hunter2 \x1b[31m", UserWarning, "library.py", 7)


def test_a_warning_of_python_is_a_line_as_any_other(capsys: pytest.CaptureFixture[str]) -> None:
    warned("json", SharedOptions())
    (line,) = lines(capsys.readouterr().err)
    assert (line["level"], line["logger"]) == ("warning", "py.warnings")
    assert line["message"] == "library.py:7: UserWarning: *** \x1b[31m"
    warned("text", SharedOptions())
    assert capsys.readouterr().err == "warning: library.py:7: UserWarning: *** \\x1b[31m\n"
    warned("text", SharedOptions(quiet=True))
    assert capsys.readouterr().err == ""


def test_q_and_v_choose_the_same_lines_in_both_forms(capsys: pytest.CaptureFixture[str]) -> None:
    quiet = lines(logged("json", capsys, SharedOptions(quiet=True)))
    assert [line["message"] for line in quiet] == ["broken"]
    verbose = lines(logged("json", capsys, SharedOptions(verbose=1)))
    assert [line["level"] for line in verbose] == ["warning", "info", "warning", "error"]


@pytest.mark.parametrize(
    ("arguments", "form"),
    [
        (["run"], "text"),
        (["run", "--log-format", "json"], "json"),
        (["run", "--log-format=json", "--nonsense"], "json"),
        (["run", "--log-format", "json", "--log-format", "text"], "text"),
        (["run", "--log-format"], "text"),
        (["run", "--log-format", "xml"], "text"),
    ],
)
def test_the_form_is_known_before_the_command_line_is_understood(
    arguments: list[str], form: str
) -> None:
    assert wanted_form(arguments) == form


def failing(shared: SharedOptions) -> Result:
    """Fails as nobody foresaw."""
    raise ValueError("boom password=hunter2")


def misconfigured(shared: SharedOptions) -> Result:
    """Has two faults."""
    raise ConfigError(
        "the configuration has 2 faults",
        problems=[
            ConfigProblem("a.yaml", 1, "x", "1", "no"),
            ConfigProblem("a.yaml", None, "y", None, "password=hunter2"),
        ],
        remedy="mend them",
    )


COMMANDS = [
    Command("failing", f"{__name__}:failing", "Fails.", (0, 70)),
    Command("misconfigured", f"{__name__}:misconfigured", "Fails.", (0, 2)),
]


def errors(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, dict[str, Any]]:
    """The exit code and the only line of a command that fails."""
    code = main([*arguments, "--log-format", "json"], commands=COMMANDS)
    out, err = capsys.readouterr()
    assert out == ""
    (line,) = lines(err)
    assert line.pop("timestamp")
    assert line.pop("logger") == "memory_maintenance"
    assert line.pop("level") == "error"
    return code, line


def test_wrong_usage_is_a_line_too(capsys: pytest.CaptureFixture[str]) -> None:
    assert errors(capsys, "failing", "--nonsense") == (
        2,
        {
            "message": "no such option: --nonsense",
            "command": "failing",
            "exit_code": 2,
            "remedy": "memory-maintenance failing --help",
        },
    )
    code, line = errors(capsys, "nosuch")
    assert (code, "command" in line) == (2, False)


def test_a_configuration_lists_its_faults(capsys: pytest.CaptureFixture[str]) -> None:
    code, line = errors(capsys, "misconfigured")
    assert (code, line["exit_code"]) == (2, 2)
    assert line["problems"] == ["a.yaml:1: x is 1; no", "a.yaml: y; password=***"]
    assert line["remedy"] == "mend them"


def test_an_unforeseen_error_has_its_traceback_under_v_only(
    capsys: pytest.CaptureFixture[str],
) -> None:
    code, line = errors(capsys, "failing")
    assert (code, line["exit_code"]) == (70, 70)
    assert line["message"] == "internal error: ValueError: boom password=***"
    assert "traceback" not in line
    _, line = errors(capsys, "failing", "-v")
    assert line["traceback"].startswith("Traceback")
    assert "hunter2" not in line["traceback"]


def test_whoever_is_told_of_a_failure_gets_warnings_under_q_too(
    capsys: pytest.CaptureFixture[str],
) -> None:
    kept: list[str] = []

    class Keeping(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            kept.append(record.getMessage())

    ours, handler = logging.getLogger("memory_maintenance"), Keeping()
    ours.addHandler(handler)
    try:
        with logging_to_stderr(SharedOptions(quiet=True), Log("text", SCRUB)):
            ours.warning("the connection was lost")
            ours.info("too much")
    finally:
        ours.removeHandler(handler)
    assert kept == ["the connection was lost"]
    assert capsys.readouterr().err == ""
