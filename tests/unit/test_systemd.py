"""The units in systemd/ are what systemd takes them for."""

from __future__ import annotations

import configparser
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

UNITS = Path(__file__).parents[2] / "systemd"
PROGRAM = "/usr/local/bin/memory-maintenance"


def unit(name: str) -> configparser.RawConfigParser:
    # Raw: units have no interpolation. Each setting that is asked for stands in its file once.
    parser = configparser.RawConfigParser()
    parser.read(UNITS / name)
    return parser


@pytest.mark.skipif(not shutil.which("systemd-analyze"), reason="systemd-analyze isn't here")
def test_systemd_finds_nothing_to_complain_about(tmp_path: Path) -> None:
    # `verify` wants the program to exist, and it is installed on no machine that runs tests: a copy
    # of the unit names another one that does. The rest of the line stays.
    for path in UNITS.iterdir():
        text = path.read_text().replace(PROGRAM, sys.executable)
        (tmp_path / path.name).write_text(text)
    units = sorted(str(path) for path in tmp_path.iterdir())
    verdict = subprocess.run(
        ["systemd-analyze", "verify", "--man=no", *units],
        capture_output=True,
        text=True,
        check=False,
    )
    # It also complains, without failing, about units of the machine that aren't ours.
    complaints = [line for line in verdict.stderr.splitlines() if "memory-maintenance" in line]
    assert complaints == []
    assert verdict.returncode == 0, verdict.stderr


def test_the_service_takes_a_held_lock_for_a_success_and_ends_within_its_hour() -> None:
    service = unit("memory-maintenance.service")["Service"]
    assert service["Type"] == "oneshot"
    assert service["SuccessExitStatus"] == "75"
    assert service["TimeoutStartSec"] == "55min"
    assert service["ExecStart"] == f"{PROGRAM} run"


def test_the_timer_is_hourly_and_makes_up_for_what_it_missed() -> None:
    timer = unit("memory-maintenance.timer")["Timer"]
    assert timer["OnCalendar"] == "hourly"
    assert timer["Persistent"] == "true"
    assert timer["RandomizedDelaySec"] == "5min"
