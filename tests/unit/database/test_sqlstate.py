"""What the driver says, in our words and exit codes; what a retry can mend is told apart."""

from __future__ import annotations

import psycopg
import pytest
from psycopg import errors

from memory_maintenance.database.sqlstate import Kind, kind, translate, translated
from memory_maintenance.errors import MaintenanceError


def raised(state: str, words: str = "words") -> psycopg.Error:
    return errors.lookup(state)(words)


def scrub(text: str) -> str:
    return text.replace("s3cret", "***")


@pytest.mark.parametrize(
    ("state", "expected"),
    [
        ("40001", Kind.CONTENTION),
        ("40P01", Kind.CONTENTION),
        ("55P03", Kind.CONTENTION),
        ("57014", Kind.TIMEOUT),
        ("57P01", Kind.LOST),
        ("57P02", Kind.LOST),
        ("57P03", Kind.LOST),
        ("57P05", Kind.LOST),
        ("25P03", Kind.LOST),
        ("08006", Kind.LOST),
        ("08P01", Kind.LOST),
        ("42501", Kind.OTHER),
        ("23505", Kind.OTHER),
        ("22003", Kind.OTHER),
        ("53100", Kind.OTHER),
        ("25006", Kind.OTHER),
    ],
)
def test_what_to_do_about_an_error_follows_from_its_state(state: str, expected: Kind) -> None:
    assert kind(raised(state)) is expected


def test_an_operational_error_without_state_is_a_lost_connection() -> None:
    assert kind(psycopg.OperationalError("server closed the connection")) is Kind.LOST
    assert kind(psycopg.ProgrammingError("can't adapt")) is Kind.OTHER


@pytest.mark.parametrize(
    ("state", "code"),
    [
        ("40001", 75),
        ("40P01", 75),
        ("55P03", 75),
        ("57014", 70),
        ("57P01", 69),
        ("57P03", 69),
        ("08006", 69),
        ("53100", 69),
        ("53300", 69),
        ("58030", 69),
        ("28P01", 77),
        ("28000", 77),
        ("42501", 77),
        ("25006", 77),
        ("3D000", 2),
        ("42P01", 2),
        ("42703", 2),
        ("23505", 70),
        ("22003", 70),
        ("P0001", 70),
        ("XX000", 70),
    ],
)
def test_an_error_ends_the_command_with_the_code_of_its_kind(state: str, code: int) -> None:
    ours = translate(raised(state), scrub)
    assert ours.exit_code == code
    assert "words" in ours.message


@pytest.mark.parametrize(
    ("words", "code"),
    [
        ("connection failed: Connection refused", 69),
        ("connection failed: FATAL:  the database system is starting up", 69),
        ("connection failed: FATAL:  sorry, too many clients already", 69),
        ("failed to resolve host 'x'", 69),
        ('FATAL:  password authentication failed for user "x"', 77),
        ('FATAL:  Peer authentication failed for user "x"', 77),
        ("fe_sendauth: no password supplied", 77),
        ('FATAL:  no pg_hba.conf entry for host "1.2.3.4", user "x"', 77),
        ('FATAL:  pg_hba.conf rejects connection for host "[local]"', 77),
        ('FATAL:  role "x" does not exist', 77),
        ('FATAL:  role "x" is not permitted to log in', 77),
        ('FATAL:  permission denied for database "x"', 77),
        ('FATAL:  database "x" does not exist', 2),
        ('invalid sslmode value: "bogus"', 2),
        ('invalid port number: "99999"', 2),
        ('definition of service "x" not found', 2),
        ('service file "/x" not found', 2),
    ],
)
def test_a_refused_connection_has_no_state_and_is_told_by_its_words(words: str, code: int) -> None:
    assert translate(psycopg.OperationalError(words), scrub).exit_code == code


def test_each_error_says_what_to_do_next() -> None:
    for state in ("55P03", "57014", "57P01", "28P01", "42501", "25006", "42P01"):
        assert translate(raised(state), scrub).remedy


def test_secrets_are_taken_out_and_words_come_on_one_line() -> None:
    ours = translate(psycopg.OperationalError("no way\n\tpassword=s3cret"), scrub)
    assert ours.message == "database unreachable: no way password=***"


def test_inside_the_block_only_the_drivers_errors_are_translated() -> None:
    with pytest.raises(MaintenanceError) as caught, translated(scrub):
        raise raised("42501")
    assert isinstance(caught.value.__cause__, psycopg.Error)
    with pytest.raises(ZeroDivisionError), translated(scrub):
        raise ZeroDivisionError
