"""Skipped tests as failures, where all that a test could need is there: `pytest --no-skips-but REGEX`."""

from __future__ import annotations

import re

import pytest

_OPTION = "--no-skips-but"


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option."""
    parser.addoption(
        _OPTION,
        metavar="REGEX",
        type=re.compile,
        help="fail if a test is skipped for any other reason",
    )


def _unwanted(config: pytest.Config) -> list[str]:
    """What was skipped and may not be, with reasons; in workers of pytest-xdist nothing."""
    allowed: re.Pattern[str] | None = config.getoption(_OPTION)
    reporter = config.pluginmanager.get_plugin("terminalreporter")
    if allowed is None or reporter is None:
        return []
    reasons = ((r.nodeid, _reason(r)) for r in reporter.stats.get("skipped", ()))
    return [f"{test}: {reason}" for test, reason in reasons if not allowed.search(reason)]


def _reason(report: pytest.TestReport | pytest.CollectReport) -> str:
    found = report.longrepr
    return str(found[2] if isinstance(found, tuple) else found).removeprefix("Skipped: ")


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Fail a session that would otherwise have passed."""
    if session.exitstatus == pytest.ExitCode.OK and _unwanted(session.config):
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def pytest_terminal_summary(
    terminalreporter: pytest.TerminalReporter, config: pytest.Config
) -> None:
    """Name them."""
    if unwanted := _unwanted(config):
        terminalreporter.section("skipped, but none may be here", red=True)
        for line in unwanted:
            terminalreporter.line(line)
