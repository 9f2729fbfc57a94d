"""The textfile: what stands in it, and what becomes of it when things go wrong."""

from __future__ import annotations

import logging
import os
import signal
import threading
from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from prometheus_client.parser import text_string_to_metric_families

from memory_maintenance.model.fact_counts import FactCounts
from memory_maintenance.monitoring.former import value_in
from memory_maintenance.monitoring.observed import Ended, Subject
from memory_maintenance.monitoring.textfile import name_of, write

RUN = Subject("run", "public.entity_facts", "db:5432", "nova")
HOSTILE = 'public."a\\"}\n# TYPE x gauge\nx 1 é\x1b"'
SUCCESS = "memory_maintenance_last_success_timestamp_seconds"


def ended(subject: Subject = RUN, **fields: Any) -> Ended:
    """A run that succeeded at 1000, unless fields say otherwise."""
    given = {"exit_code": 0, "ended_at_s": 1000.0, "duration_s": 1.5, **fields}
    return Ended(subject, "1.2.3", **given)


def samples(path: Path) -> dict[str, list[tuple[Mapping[str, str], float]]]:
    """What a file holds, by name."""
    found: dict[str, list[tuple[Mapping[str, str], float]]] = {}
    for family in text_string_to_metric_families(path.read_text(encoding="utf-8")):
        assert family.documentation
        for sample in family.samples:
            found.setdefault(sample.name, []).append((sample.labels, sample.value))
    return found


def success(directory: Path, subject: Subject = RUN) -> float | None:
    """When the file says that the last success was."""
    found = samples(directory / name_of(subject)).get(SUCCESS)
    return None if found is None else found[0][1]


def test_each_name_has_its_unit_and_each_series_its_labels(tmp_path: Path) -> None:
    counts = {"decay": {"examined": 7, "problems": 0}, "other": {"verified": True}}
    facts = FactCounts(datetime(2026, 6, 1, tzinfo=UTC), {"permanent": 3, "unclassified": 0}, 2)
    write(tmp_path, ended(counts=counts, facts=facts))
    place = {"server": "db:5432", "database": "nova", "table": "public.entity_facts"}
    of_run = {**place, "command": "run"}
    assert samples(tmp_path / name_of(RUN)) == {
        "memory_maintenance_last_run_timestamp_seconds": [(of_run, 1000)],
        SUCCESS: [(of_run, 1000)],
        "memory_maintenance_last_run_duration_seconds": [(of_run, 1.5)],
        "memory_maintenance_last_run_exit_code": [(of_run, 0)],
        "memory_maintenance_last_run_rows": [
            ({**of_run, "step": "decay", "outcome": "examined"}, 7),
            ({**of_run, "step": "decay", "outcome": "problems"}, 0),
        ],
        "memory_maintenance_build_info": [({**of_run, "version": "1.2.3"}, 1)],
    }
    assert samples(tmp_path / name_of(RUN, facts=True)) == {
        "memory_maintenance_facts": [
            ({**place, "durability": "permanent"}, 3),
            ({**place, "durability": "unclassified"}, 0),
        ],
        "memory_maintenance_obligations_overdue": [(place, 2)],
        "memory_maintenance_facts_as_of_timestamp_seconds": [(place, 1780272000)],
    }


def test_each_metric_is_documented(tmp_path: Path) -> None:
    facts = FactCounts(datetime(2026, 6, 1, tzinfo=UTC), {"permanent": 3}, 2)
    write(tmp_path, ended(counts={"examined": 1}, facts=facts))
    page = (Path(__file__).parents[3] / "docs" / "monitoring.md").read_text()
    names = {name for path in tmp_path.iterdir() for name in samples(path)}
    assert len(names) == 9
    for name in names:
        assert f"| `{name.removeprefix('memory_maintenance_')}` |" in page


def test_a_hostile_name_stays_a_label_and_makes_a_plain_file_name(tmp_path: Path) -> None:
    subject = replace(RUN, table=HOSTILE, database="../../etc/x")
    write(tmp_path, ended(subject))
    (path,) = tmp_path.iterdir()
    assert path.name.isascii()
    assert path.name.startswith("memory-maintenance-.._.._etc_x-public._a_")
    assert path.name.endswith("-run.prom")
    found = samples(path)
    assert "x" not in found
    assert found[SUCCESS][0][0]["table"] == HOSTILE
    write(tmp_path, ended(subject, exit_code=1, ended_at_s=2000.0))
    assert success(tmp_path, subject) == 1000


def test_what_reads_alike_has_files_of_its_own() -> None:
    subjects = [
        RUN,
        replace(RUN, server="db:5433"),
        replace(RUN, database="nova2"),
        replace(RUN, table="public.entity facts"),
        replace(RUN, table='public."entity/facts"'),
        replace(RUN, command="decay"),
        replace(RUN, table="x" * 200),
        replace(RUN, table="x" * 201),
        Subject("run", "public.entity_facts"),
    ]
    names = {name_of(s) for s in subjects} | {name_of(s, facts=True) for s in subjects}
    # Of RUN and its other command the facts are the same.
    assert len(names) == 2 * len(subjects) - 1
    assert max(map(len, names)) < 200


def test_a_failure_keeps_the_last_success_and_a_success_renews_it(tmp_path: Path) -> None:
    write(tmp_path, ended(exit_code=69))
    assert success(tmp_path) is None
    write(tmp_path, ended(ended_at_s=2000.0))
    assert success(tmp_path) == 2000
    for at, code in ((3000.0, 69), (4000.0, 75), (5000.0, 1)):
        write(tmp_path, ended(exit_code=code, ended_at_s=at))
        assert success(tmp_path) == 2000
    write(tmp_path, ended(ended_at_s=6000.0))
    assert success(tmp_path) == 6000


LABELS = '{server="db:5432",database="nova",table="public.entity_facts",command="run"}'


@pytest.mark.parametrize(
    ("content", "said"),
    [
        pytest.param(b"", False, id="empty"),
        pytest.param(b"\xff\xfe\x00", True, id="no text"),
        pytest.param(b"a{b=", True, id="cut"),
        pytest.param(f"{SUCCESS}{LABELS} NaN\n".encode(), False, id="NaN"),
        pytest.param(f"{SUCCESS}{LABELS} +Inf\n".encode(), False, id="infinite"),
        pytest.param(f"{SUCCESS}{LABELS} -5\n".encode(), False, id="negative"),
        pytest.param(f"{SUCCESS}{LABELS} 9e9\n".encode(), False, id="in the future"),
        pytest.param(f"{SUCCESS}{LABELS} x\n".encode(), True, id="no number"),
        pytest.param(f'{SUCCESS}{{command="run"}} 5\n'.encode(), False, id="other labels"),
        pytest.param(b"# " + b"x" * 300_000, True, id="huge"),
    ],
)
def test_a_former_file_that_is_no_good_is_replaced(
    tmp_path: Path, content: bytes, said: bool, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / name_of(RUN)).write_bytes(content)
    with caplog.at_level(logging.WARNING, "memory_maintenance"):
        write(tmp_path, ended(exit_code=1))
    assert success(tmp_path) is None
    assert len(caplog.records) == said


def test_the_value_is_found_where_it_is_good(tmp_path: Path) -> None:
    path = tmp_path / "x.prom"
    path.write_text(f"{SUCCESS}{LABELS} 5\n")
    labels = {
        "server": "db:5432",
        "database": "nova",
        "table": "public.entity_facts",
        "command": "run",
    }
    assert value_in(path, SUCCESS, labels, most=5) == 5
    assert value_in(path, SUCCESS, labels, most=4) is None


def test_neither_a_pipe_nor_a_link_in_its_place_is_read(tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.write_text(f"{SUCCESS}{LABELS} 5\n")
    folder = tmp_path / "folder"
    folder.mkdir()
    path = folder / name_of(RUN)
    os.mkfifo(path)
    write(folder, ended(exit_code=1))
    assert success(folder) is None
    path.unlink()
    path.symlink_to(elsewhere)
    write(folder, ended(exit_code=1))
    assert success(folder) is None
    assert not path.is_symlink()
    assert elsewhere.read_text() == f"{SUCCESS}{LABELS} 5\n"


def test_everybody_may_read_it_whatever_the_umask(tmp_path: Path) -> None:
    before = os.umask(0o077)
    try:
        write(tmp_path, ended())
    finally:
        os.umask(before)
    (path,) = tmp_path.iterdir()
    assert path.stat().st_mode & 0o777 == 0o644


def test_a_kill_in_the_middle_leaves_the_former_file_whole(tmp_path: Path) -> None:
    write(tmp_path, ended())
    path = tmp_path / name_of(RUN)
    before = path.read_bytes()
    child = os.fork()
    if child == 0:
        # Killed when everything is written, but for the rename.
        os.fsync = lambda fd: os.kill(os.getpid(), signal.SIGKILL)
        write(tmp_path, ended(ended_at_s=2000.0))
        os._exit(0)
    _, status = os.waitpid(child, 0)
    assert os.WTERMSIG(status) == signal.SIGKILL
    assert path.read_bytes() == before
    assert list(tmp_path.glob("*.prom")) == [path]  # what the collector reads
    # What it left holds nobody up.
    write(tmp_path, ended(ended_at_s=3000.0))
    assert success(tmp_path) == 3000


def test_a_full_disk_leaves_the_former_file_whole_and_nothing_beside_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path, ended())

    def full(_descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space left"):
        write(tmp_path, ended(ended_at_s=2000.0))
    assert success(tmp_path) == 1000
    assert len(list(tmp_path.iterdir())) == 1


def test_of_concurrent_writers_none_loses_the_success_of_another(tmp_path: Path) -> None:
    gate = threading.Barrier(8)

    def writer(number: int) -> None:
        gate.wait()
        for turn in range(5):
            # The last success is that of number 3, while the others find the lock taken.
            code = 0 if number == 3 else 75
            write(
                tmp_path, ended(exit_code=code, ended_at_s=1000.0 + turn if code == 0 else 2000.0)
            )

    threads = [threading.Thread(target=writer, args=[number]) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert success(tmp_path) == 1004
    assert len(list(tmp_path.iterdir())) == 1


def test_a_folder_that_is_absent_is_not_made(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        write(tmp_path / "absent", ended())
    assert list(tmp_path.iterdir()) == []
