"""A role of its own for maintenance, with the rights that the README grants and no others."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from memory_maintenance.errors import Denied
from tests.support.command import Call, Command
from tests.support.maintained import AS_OF, INSTANT, Memory

README = Path(__file__).parents[2] / "README.md"
NAMED = "memory_upkeep"
"""The role in the README."""

WRITTEN = (
    "confidence, confidence_base, confidence_anchor_at, confidence_written, effective_importance"
)


def grants() -> list[str]:
    """The README's GRANT statements."""
    found = re.findall(rf"^GRANT .* TO {NAMED};$", README.read_text(), re.MULTILINE)
    assert len(found) >= 4
    return found


def granted(memory: Memory, *statements: str) -> str:
    """A new role with these rights; {role} in them is its name."""
    role = memory.database.create_role()
    with memory.connect() as owner:
        for statement in statements or grants():
            owner.execute(statement.replace(NAMED, role).encode())
    return role


def test_a_role_with_what_the_readme_grants_runs_the_hourly_job(
    memory: Memory, cli: Command, call: Call
) -> None:
    memory.fill(30)
    role = granted(memory)
    arguments = memory.arguments(dsn=f"{memory.dsn} user={role}")
    for run in (cli, call):
        done = run("run", *arguments, "--as-of", AS_OF, "--format", "json")
        assert done.returncode == 0, done.stderr
    assert [(command, status) for command, status, _, _ in memory.ledger()] == [
        ("run", "done"),
        ("run", "done"),
    ]
    for command in (("report",), ("check-config", "--database"), ("run", "--dry-run")):
        done = call(*command, *arguments)
        assert done.returncode == 0, done.stdout + done.stderr
    done = call("decay", *arguments, "--as-of", AS_OF, "--format", "json")
    assert json.loads(done.stdout)["examined"] == 30


@pytest.mark.parametrize("left_out", range(len(grants())))
def test_none_of_the_grants_can_be_left_out(memory: Memory, call: Call, left_out: int) -> None:
    memory.fill(3)
    some = grants()
    del some[left_out]
    role = granted(memory, *some)
    done = call("run", *memory.arguments(dsn=f"{memory.dsn} user={role}"))
    assert done.returncode == 77, done.stdout + done.stderr


def test_update_on_the_columns_that_decay_writes_is_enough(memory: Memory) -> None:
    memory.fill(10)
    on_columns = [
        statement.replace("SELECT, UPDATE ON public", f"SELECT, UPDATE ({WRITTEN}) ON public")
        for statement in grants()
    ]
    assert on_columns != grants()
    role = granted(memory, *on_columns)
    assert memory.decay(dsn=f"{memory.dsn} user={role}").updated == 10


def test_update_on_some_of_these_columns_is_refused_before_anything_is_written(
    memory: Memory,
) -> None:
    memory.fill(10)
    before = memory.derived()
    on_columns = [
        statement.replace("SELECT, UPDATE ON public", "SELECT, UPDATE (confidence) ON public")
        for statement in grants()
    ]
    role = granted(memory, *on_columns)
    with pytest.raises(Denied, match="may not update") as caught:
        memory.decay(as_of=INSTANT, dsn=f"{memory.dsn} user={role}")
    assert "GRANT" in (caught.value.remedy or "")
    assert memory.derived() == before
