"""``check-config --database`` sees what would stop a run, and says so before it does."""

from __future__ import annotations

from memory_maintenance.cli.opening import Opened, started
from memory_maintenance.cli.watch import Watch
from memory_maintenance.jobs.check_database import CheckDatabaseResult, check_database
from memory_maintenance.model.result import Outcome
from tests.support.maintenance import DEFAULTS, opened
from tests.support.server import TestDatabase


def checked(database: TestDatabase, role: str | None = None) -> CheckDatabaseResult:
    with (
        opened(database, role=role) as session,
        started(
            Opened(session, DEFAULTS, Watch()), "check-config", as_of=None, dry_run=True
        ) as run,
    ):
        return check_database(run)


def missing(result: CheckDatabaseResult) -> dict[str, str]:
    return {check.name: check.detail for check in result.checks if check.state == "missing"}


def test_a_migrated_database_lacks_nothing(migrated: TestDatabase) -> None:
    result = checked(migrated)
    assert missing(result) == {}
    assert result.outcome is Outcome.DONE


def test_a_database_that_is_read_only_is_named(migrated: TestDatabase) -> None:
    with migrated.connect() as connection:
        connection.execute(
            f"ALTER DATABASE {migrated.name} SET default_transaction_read_only = on".encode()
        )
    result = checked(migrated)
    assert list(missing(result)) == ["writing"]
    assert result.outcome is Outcome.FINDINGS


def test_a_policy_that_would_hide_rows_is_named(migrated: TestDatabase) -> None:
    role = migrated.create_role()
    with migrated.connect() as connection:
        connection.execute("ALTER TABLE entity_facts ENABLE ROW LEVEL SECURITY")
        for grant in (
            "SELECT, UPDATE ON entity_facts",
            "USAGE ON SCHEMA memory_maintenance",
            "SELECT, INSERT, UPDATE ON ALL TABLES IN SCHEMA memory_maintenance",
        ):
            connection.execute(f"GRANT {grant} TO {role}".encode())
    assert list(missing(checked(migrated, role))) == ["row security"]


def test_rights_that_a_run_needs_in_our_schema_are_listed(migrated: TestDatabase) -> None:
    role = migrated.create_role()
    with migrated.connect() as connection:
        connection.execute(f"GRANT SELECT, UPDATE ON entity_facts TO {role}".encode())
        connection.execute(f"GRANT USAGE ON SCHEMA memory_maintenance TO {role}".encode())
        connection.execute(f"GRANT SELECT ON memory_maintenance.run TO {role}".encode())
    found = missing(checked(migrated, role))
    assert list(found) == ["our schema"]
    assert "INSERT, UPDATE on run" in found["our schema"]
    assert "SELECT on schema_version" in found["our schema"]
