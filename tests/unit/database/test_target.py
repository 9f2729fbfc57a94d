"""Which server is chosen, and that no password is ever shown on the way (spec 9)."""

from __future__ import annotations

import json
import os
import traceback
import urllib.parse
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from memory_maintenance.database.target import (
    Kind,
    Target,
    mask,
    neutralise_environment,
    resolve,
    without_time_zone,
)
from memory_maintenance.errors import UsageError

SECRET = "s3 cr'e@t:/%&\\x"
NOWHERE = Path("/nonexistent")


def from_dsn(dsn: str, environ: dict[str, str] | None = None) -> Target:
    return resolve(dsn=dsn, environ=environ or {}, settings_dsn=None, home=NOWHERE)


def from_nothing(home: Path, environ: dict[str, str] | None = None) -> Target:
    return resolve(dsn=None, environ=environ or {}, settings_dsn=None, home=home)


def openclaw(home: Path, content: object) -> Path:
    file = home / ".openclaw" / "postgres.json"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(content if isinstance(content, str) else json.dumps(content))
    return file


def everything_shown(error: UsageError) -> str:
    """All that a traceback or a log could show of an error, its causes included."""
    return "".join(traceback.format_exception(error, chain=True)) + repr(
        (error.args, error.remedy, error.__cause__, error.__context__)
    )


# -- the order --


def test_sources_are_asked_in_order(tmp_path: Path) -> None:
    openclaw(tmp_path, {"database": "five"})
    environ = {"MEMORY_MAINTENANCE_DSN": "dbname=two", "PGDATABASE": "four"}

    def chosen(dsn: str | None, settings_dsn: str | None) -> tuple[str, str]:
        target = resolve(
            dsn=dsn,
            environ=environ,
            settings_dsn=settings_dsn,
            home=tmp_path,
            settings_source="database.dsn in mm.yaml",
        )
        return target.source, target.display

    assert chosen("dbname=one", "dbname=three") == ("--dsn", "dbname=one")
    assert chosen(None, "dbname=three") == ("MEMORY_MAINTENANCE_DSN", "dbname=two")
    environ["MEMORY_MAINTENANCE_DSN"] = " \n"
    assert chosen("", "dbname=three") == ("database.dsn in mm.yaml", "dbname=three")
    assert chosen(None, None) == ("libpq's variables (PGDATABASE)", "dbname=four")
    environ["PGDATABASE"] = " "
    assert chosen(None, " ") == (str(tmp_path / ".openclaw/postgres.json"), "dbname=five")


@pytest.mark.parametrize(
    "name", ["PGHOST", "PGHOSTADDR", "PGPORT", "PGDATABASE", "PGUSER", "PGSERVICE"]
)
def test_each_variable_of_libpq_is_enough(name: str) -> None:
    target = from_nothing(NOWHERE, {name: "5433"})
    assert target.kind is Kind.SERVER
    assert name in target.source
    assert target.conninfo == ""
    assert "5433" in target.display


def test_a_password_alone_names_no_server() -> None:
    with pytest.raises(UsageError):
        from_nothing(NOWHERE, {"PGPASSWORD": SECRET, "PGSSLMODE": "require"})


def test_without_any_source_both_ways_on_are_named() -> None:
    with pytest.raises(UsageError) as caught:
        from_nothing(NOWHERE)
    assert caught.value.exit_code == 2
    assert "--dsn postgresql://" in str(caught.value.remedy)
    assert "--dsn embedded:" in str(caught.value.remedy)


# -- DSNs and passwords --

QUOTED = urllib.parse.quote(SECRET, safe="")
DSNS = [
    f"postgresql://bob:{QUOTED}@db.example:5433/app",
    f"postgres://bob@db.example:5433/app?password={QUOTED}",
    make_conninfo("", host="db.example", port=5433, dbname="app", user="bob", password=SECRET),
    make_conninfo("host=db.example port=5433 dbname=app user=bob", sslpassword=SECRET),
    f"  postgresql://bob:{QUOTED}@db.example:5433/app?passfile=/x/.pgpass\n",
]


@pytest.mark.parametrize("dsn", DSNS)
def test_a_dsn_keeps_its_password_and_never_shows_it(dsn: str) -> None:
    target = from_dsn(dsn)
    assert SECRET in conninfo_to_dict(target.conninfo).values()
    assert target.display == "host=db.example port=5433 dbname=app user=bob"
    for shown in (repr(target), str(target), f"{target!s}", target.display, repr([target])):
        assert "s3" not in shown
    raw = f"cannot connect with {dsn} or {SECRET!r} or {QUOTED} or {target.conninfo}"
    for trace in ("s3", "e@t", "e%40t"):
        assert trace not in target.scrub(raw)


@pytest.mark.parametrize(
    "dsn",
    [
        f"postgresql://bob:{SECRET}@db/app",
        f"postgresql://bob:{SECRET}@db:port:port/app?x=y",
        f"postgresql://bob:%zz{SECRET}@db/app",
        f"postgresql+psycopg://bob:{SECRET}@db/app",
        f"host=db password='{SECRET}",
        f"host=db password=s3 {SECRET}",
        f"host=db passwrd={SECRET}",
        f"host=db password=a\0{SECRET}",
        f"host=db password=\udcff{SECRET}",
        f"{SECRET}",
        f"[{SECRET}",
        # libpq takes these, with the rest of the password for a host, a port or a database.
        "postgresql://bob:a@s3 cr@db/app",
        "postgresql://bob:s3 cr/e@db/app",
        "postgresql://bob:12/s3 cr@db/app",
    ],
)
def test_a_malformed_dsn_is_refused_without_quoting_any_of_it(dsn: str) -> None:
    with pytest.raises(UsageError) as caught:
        resolve(
            dsn=None,
            environ={},
            settings_dsn=dsn,
            home=NOWHERE,
            settings_source="database.dsn in x.yaml",
        )
    shown = everything_shown(caught.value)
    assert "database.dsn in x.yaml" in shown
    assert "postgresql://USER@HOST:PORT/DATABASE" in shown
    for trace in ("s3 cr", "zz", "passwrd", "e@t"):
        # The lines of this file that a traceback quotes hold the variable's name only.
        assert trace not in shown


def test_a_dsn_may_name_several_hosts() -> None:
    target = from_dsn(f"postgresql://bob:{QUOTED}@a:1,b:2/app?target_session_attrs=read-write")
    assert target.display == "host=a,b port=1,2 dbname=app user=bob"
    assert conninfo_to_dict(target.conninfo)["target_session_attrs"] == "read-write"


def test_the_display_tells_what_libpq_adds_from_its_environment() -> None:
    environ = {"PGHOSTADDR": "10.0.0.9", "PGUSER": "eve", "PGPASSWORD": SECRET}
    target = from_dsn("host=db dbname=app", environ)
    assert target.display == "host=db hostaddr=10.0.0.9 dbname=app user=eve"
    assert target.scrub(f"no {SECRET} here") == "no *** here"


def test_a_dsn_where_a_name_belongs_is_not_shown() -> None:
    target = from_nothing(NOWHERE, {"PGDATABASE": "postgresql://bob:hush@db/app"})
    assert "hush" not in target.display
    assert "hush" not in repr(target)


def test_control_characters_of_a_name_do_not_reach_a_terminal() -> None:
    target = from_dsn(make_conninfo("", host="db", dbname="a\x1b[2Jb\nc"))
    assert target.display == "host=db dbname=a?[2Jb?c"


def test_masking_covers_dsns_whose_password_is_not_known() -> None:
    assert mask("at postgresql://bob:hush@db/app") == "at postgresql://bob:***@db/app"
    assert mask("at postgresql://bob:h:u@s/h@db/app") == "at postgresql://bob:***@db/app"
    assert mask("host=db password = 'hu\\'sh' user=bob") == "host=db password = *** user=bob"
    assert mask("x?sslpassword=hush&user=bob") == "x?sslpassword=***&user=bob"
    assert mask('FATAL:  password authentication failed for user "bob"') == (
        'FATAL:  password authentication failed for user "bob"'
    )


@given(secret=st.text(min_size=4, max_size=30), before=st.text(), after=st.text())
def test_a_secret_is_masked_in_every_form(secret: str, before: str, after: str) -> None:
    escaped = secret.replace("\\", "\\\\").replace("'", "\\'")
    forms = [secret, escaped]
    if not any(0xD800 <= ord(character) < 0xE000 for character in secret):
        forms += [
            urllib.parse.quote(secret, safe=""),
            urllib.parse.quote(secret),
            urllib.parse.quote_plus(secret),
            "".join(f"%{byte:02x}" for byte in secret.encode()),
        ]
    for form in forms:
        masked = mask(before + form + after, [secret])
        assert "***" in masked
        if form not in before + "***" + after:
            assert form not in masked.replace("***", "")


def test_masking_a_longer_secret_first_leaves_no_rest_of_it() -> None:
    assert mask("abcdef abc", ["abc", "abcdef"]) == "*** ***"


@given(
    password=st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), min_size=1)
)
def test_any_password_survives_into_the_conninfo(password: str) -> None:
    target = from_dsn(make_conninfo("", host="db", password=password))
    assert conninfo_to_dict(target.conninfo)["password"] == password


# -- embedded --


@pytest.mark.parametrize(
    ("dsn", "directory", "database"),
    [
        ("embedded:", None, "memory_maintenance"),
        ("embedded:?dbname=other", None, "other"),
        ("embedded:/some/dir", "/some/dir", "memory_maintenance"),
        ("embedded:///some/dir", "/some/dir", "memory_maintenance"),
        ("embedded:/with space/dir?dbname=a%20b", "/with space/dir", "a b"),
        ("embedded:relative/dir", "relative/dir", "memory_maintenance"),
        ("embedded:~/dir", "/nonexistent/dir", "memory_maintenance"),
        ("embedded:~", "/nonexistent", "memory_maintenance"),
    ],
)
def test_an_embedded_dsn_names_a_directory_and_a_database(
    dsn: str, directory: str | None, database: str
) -> None:
    target = from_dsn(dsn)
    assert target.kind is Kind.EMBEDDED
    assert target.directory == (None if directory is None else Path(directory))
    assert target.database == database
    with pytest.raises(ValueError, match="before it is started"):
        _ = target.conninfo


@pytest.mark.parametrize(
    "dsn",
    [
        "embedded://host/dir",
        "embedded:/dir?user=x",
        "embedded:/dir?dbname=",
        "embedded:/dir?dbname",
        "embedded:/dir?dbname=a&dbname=b",
    ],
)
def test_an_embedded_dsn_with_anything_else_is_refused(dsn: str) -> None:
    with pytest.raises(UsageError, match="--dsn"):
        from_dsn(dsn)


def test_a_started_embedded_target_has_an_address() -> None:
    target = from_dsn("embedded:/some/dir").started("host=/some/dir/run port=5432 dbname=x")
    assert conninfo_to_dict(target.conninfo)["host"] == "/some/dir/run"
    assert target.display == "embedded:/some/dir dbname=memory_maintenance"


# -- OpenClaw's file --


def test_the_file_of_openclaw_is_read(tmp_path: Path) -> None:
    file = openclaw(
        tmp_path,
        {
            "host": "db",
            "port": 5433,
            "database": "app",
            "user": "bob",
            "password": SECRET,
            "pool": {"max": 3},
        },
    )
    target = from_nothing(tmp_path)
    assert target.source == str(file)
    assert target.display == "host=db port=5433 dbname=app user=bob"
    assert conninfo_to_dict(target.conninfo)["password"] == SECRET
    assert "s3" not in repr(target)


def test_null_counts_as_absent_and_a_byte_order_mark_is_no_fault(tmp_path: Path) -> None:
    openclaw(tmp_path, "\ufeff" + json.dumps({"host": None, "database": "app", "port": "5433"}))
    assert from_nothing(tmp_path).display == "port=5433 dbname=app"


@pytest.mark.parametrize(
    ("content", "fault"),
    [
        ('{"password": "hush", }', "is not a JSON object (Illegal trailing comma"),
        ('{"password": "hush"', "line 1, column"),
        ("", "is not a JSON object"),
        ('["hush"]', "is not a JSON object"),
        ("[" * 100_000, "is not a JSON object"),
        ('{"port": ' + "9" * 5000 + "}", "is not a JSON object"),
        ({"database": "a", "password": 12345}, "password is not a string"),
        ({"database": "a", "password": ["hush"]}, "password is not a string"),
        ({"database": "a", "password": "hush\0"}, "password is not a string"),
        ('{"database": "a", "password": "hush\\ud800"}', "password is not a string"),
        ({"database": ""}, "database is not a string"),
        ({"database": {"hush": 1}}, "database is not a string"),
        ({"password": "hush"}, "database is missing"),
        ({"database": "a", "port": 0}, "port is not a whole number from 1 to 65535"),
        ({"database": "a", "port": 65536}, "port is not a whole number"),
        ({"database": "a", "port": True}, "port is not a whole number"),
        ({"database": "a", "port": 5432.5}, "port is not a whole number"),
        ({"database": "a", "port": "hush"}, "port is not a whole number"),
    ],
)
def test_a_fault_in_the_file_is_named_and_its_values_are_not(
    tmp_path: Path, content: object, fault: str
) -> None:
    file = openclaw(tmp_path, content)
    with pytest.raises(UsageError) as caught:
        from_nothing(tmp_path)
    if "trailing comma" not in fault:  # CPython's wording differs between versions
        assert fault in caught.value.message
    assert caught.value.message.startswith(f"{file}: ")
    shown = everything_shown(caught.value)
    assert "hush" not in shown
    assert "12345" not in shown


def test_a_file_that_is_not_text_is_named(tmp_path: Path) -> None:
    file = openclaw(tmp_path, "")
    file.write_bytes(b'{"password": "hush\xff"}')
    with pytest.raises(UsageError, match=r"postgres\.json: .*not UTF-8") as caught:
        from_nothing(tmp_path)
    assert "hush" not in everything_shown(caught.value)


def test_a_directory_or_a_pipe_in_place_of_the_file_is_named(tmp_path: Path) -> None:
    file = tmp_path / ".openclaw" / "postgres.json"
    file.mkdir(parents=True)
    with pytest.raises(UsageError, match=r"postgres\.json: is not a regular file"):
        from_nothing(tmp_path)
    file.rmdir()
    os.mkfifo(file)
    with pytest.raises(UsageError, match=r"postgres\.json: is not a regular file"):
        from_nothing(tmp_path)


@pytest.mark.skipif(os.geteuid() == 0, reason="root can read every file")
def test_a_file_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    openclaw(tmp_path, {"database": "app"}).chmod(0)
    with pytest.raises(UsageError, match=r"postgres\.json: can't be read"):
        from_nothing(tmp_path)


def test_a_home_without_the_folder_has_no_file(tmp_path: Path) -> None:
    (tmp_path / ".openclaw").write_text("a file where the folder would be")
    with pytest.raises(UsageError, match="no database is given"):
        from_nothing(tmp_path)


# -- the time zone --


@pytest.mark.parametrize(
    ("options", "kept"),
    [
        ("", ""),
        ("-c timezone=UTC", ""),
        ("-ctimezone=UTC", ""),
        ("--timezone=UTC", ""),
        ("--TimeZone=Europe/Berlin", ""),
        ("-c TIMEZONE=UTC -c search_path=a,b", "-c search_path=a,b"),
        ("-c search_path=a\\ b  -ctimezone=UTC --geqo=off", "-c search_path=a\\ b --geqo=off"),
        ("-c timezone=a\\ b -c work_mem=1MB", "-c work_mem=1MB"),
        ("-c time\\zone=UTC", ""),
        ("-c log_timezone=UTC", "-c log_timezone=UTC"),
        ("-c timezone_abbreviations=Default", "-c timezone_abbreviations=Default"),
        ("-c", "-c"),
        ("-c search_path=timezone=UTC", "-c search_path=timezone=UTC"),
        ("-c x=\\", "-c x=\\"),
        ("\t-c\nTimeZone=UTC\f-c a=b", "-c a=b"),
    ],
)
def test_only_a_time_zone_is_taken_out_of_the_options(options: str, kept: str) -> None:
    assert without_time_zone(options) == kept


def test_the_options_of_a_dsn_are_cleaned() -> None:
    target = from_dsn("postgresql://db/app?options=-c%20timezone%3DUTC%20-c%20geqo%3Doff")
    assert conninfo_to_dict(target.conninfo)["options"] == "-c geqo=off"


def test_options_with_nothing_left_still_keep_pgoptions_out() -> None:
    assert conninfo_to_dict(from_dsn("host=db options='-ctimezone=UTC'").conninfo)["options"] == ""


def test_the_environment_loses_its_time_zone_and_nothing_else() -> None:
    environ = {
        "PGTZ": "UTC",
        "PGOPTIONS": "-c timezone=UTC -c geqo=off",
        "PGHOST": "db",
        "TZ": "Europe/Berlin",
    }
    neutralise_environment(environ)
    assert environ == {"PGOPTIONS": "-c geqo=off", "PGHOST": "db", "TZ": "Europe/Berlin"}
    environ = {"PGOPTIONS": "--timezone=UTC"}
    neutralise_environment(environ)
    assert environ == {}


def test_for_an_embedded_server_the_environment_loses_all_of_libpq() -> None:
    environ = {"PGSERVICE": "x", "PGHOSTADDR": "10.0.0.1", "PGTZ": "UTC", "PATH": "/bin"}
    neutralise_environment(environ, from_dsn("embedded:"))
    assert environ == {"PATH": "/bin"}
