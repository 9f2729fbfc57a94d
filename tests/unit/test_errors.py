"""Each error has the exit code that the specification gives it, and says what to do."""

from __future__ import annotations

import signal

import pytest

from memory_maintenance.errors import (
    Busy,
    ConfigError,
    ConfigProblem,
    Denied,
    Interrupted,
    MaintenanceError,
    RunFailed,
    Unavailable,
    UsageError,
)


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (MaintenanceError, 70),
        (UsageError, 2),
        (ConfigError, 2),
        (Unavailable, 69),
        (RunFailed, 70),
        (Busy, 75),
        (Denied, 77),
    ],
)
def test_exit_codes_are_those_of_the_specification(
    error: type[MaintenanceError], code: int
) -> None:
    assert error.exit_code == code


def test_an_error_is_its_message_and_keeps_the_remedy_apart() -> None:
    error = Busy("run 7 holds the lock", remedy="try again later")
    assert str(error) == error.message == "run 7 holds the lock"
    assert error.remedy == "try again later"
    assert Busy("no remedy").remedy is None


@pytest.mark.parametrize(("number", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_an_interruption_ends_as_a_shell_reports_it(number: int, status: int) -> None:
    error = Interrupted(number)
    assert error.status == status
    assert signal.Signals(number).name in str(error)
    assert error.remedy is not None


@pytest.mark.parametrize(
    ("problem", "text"),
    [
        (
            ConfigProblem("a.yaml", 7, "archive.min_age", "'7'", "give a unit, such as 7d"),
            "a.yaml:7: archive.min_age is '7'; give a unit, such as 7d",
        ),
        (
            ConfigProblem("built-in", None, "run", None, "name a step"),
            "built-in: run; name a step",
        ),
    ],
)
def test_a_configuration_problem_says_where_what_and_what_is_right(
    problem: ConfigProblem, text: str
) -> None:
    assert str(problem) == text


def test_a_configuration_error_keeps_all_of_its_problems() -> None:
    problems = [ConfigProblem("a.yaml", n, "key", None, "wrong") for n in range(3)]
    assert ConfigError("3 problems", problems=problems).problems == tuple(problems)
