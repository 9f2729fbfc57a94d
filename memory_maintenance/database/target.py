"""Which server: looked for in a fixed order, and named without ever showing a password.

    1. --dsn
    2. MEMORY_MAINTENANCE_DSN
    3. database.dsn of the YAML
    4. libpq's own variables (PGHOST, PGSERVICE, ...), and with them its service file and .pgpass
    5. ~/.openclaw/postgres.json

Whatever DSN is chosen, libpq fills the gaps from its environment, as it does for psql; `display`
shows that too.

Two things don't reach the server, because the session must see the TimeZone that the database's
other sessions have by default (spec 3), and a startup parameter would hide it: a time zone in
`options`, cleaned out here, and PGTZ, which libpq takes from the process's environment:
`neutralise_environment` has to run before connecting. (A zone within the options of a service
file is out of reach; the session notices it.)
"""

from __future__ import annotations

import contextlib
import json
import re
import stat
import urllib.parse
from collections.abc import Iterable, Mapping, MutableMapping
from dataclasses import dataclass, field, replace
from enum import Enum
from pathlib import Path

import psycopg
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from memory_maintenance.errors import UsageError

VARIABLE = "MEMORY_MAINTENANCE_DSN"
EMBEDDED = "embedded:"
EMBEDDED_DATABASE = "memory_maintenance"
MASK = "***"

LIBPQ_VARIABLES = ("PGHOST", "PGHOSTADDR", "PGPORT", "PGDATABASE", "PGUSER", "PGSERVICE")
_SHOWN = {
    "service": "PGSERVICE",
    "host": "PGHOST",
    "hostaddr": "PGHOSTADDR",
    "port": "PGPORT",
    "dbname": "PGDATABASE",
    "user": "PGUSER",
}
_SECRET = ("password", "sslpassword", "oauth_client_secret", "scram_client_key", "scram_server_key")

_FORM = (
    "the general form is postgresql://USER@HOST:PORT/DATABASE or "
    "'host=HOST dbname=DATABASE user=USER'; special characters of a URI are percent-encoded, "
    "values with spaces are quoted"
)
_WAYS_ON = (
    "point to a database with --dsn postgresql://USER@HOST/DATABASE "
    f"(or {VARIABLE}, database.dsn in the YAML, PGHOST and so on, ~/.openclaw/postgres.json), "
    f"or try it out on a private one: --dsn {EMBEDDED}"
)


class Kind(Enum):
    """Whose server it is: somebody's, or a private one of ours that must be started first."""

    SERVER = "server"
    EMBEDDED = "embedded"


@dataclass(frozen=True, slots=True, repr=False)
class Target:
    """A database to work on, and who said so.

    source: in words, such as "--dsn" or the path of a file. parameters: libpq's, with time zones
    cleaned from options; none for an embedded server before it runs. directory, database: of an
    embedded server; None is its default directory. environment: what libpq will add from its
    variables (PGHOST, ...), for display. secrets: what must never be shown.
    """

    source: str
    kind: Kind
    parameters: Mapping[str, str] = field(default_factory=dict)
    directory: Path | None = None
    database: str = EMBEDDED_DATABASE
    environment: Mapping[str, str] = field(default_factory=dict)
    secrets: frozenset[str] = frozenset()

    @property
    def conninfo(self) -> str:
        """What psycopg connects with.

        Holds the password. ValueError for an embedded server that wasn't started.
        """
        if self.kind is Kind.EMBEDDED and not self.parameters:
            raise ValueError("the embedded server has no address before it is started")
        return make_conninfo("", **self.parameters)

    @property
    def display(self) -> str:
        """Where this leads, on one line: host, port, dbname and user as far as known."""
        if self.kind is Kind.EMBEDDED:
            directory = "" if self.directory is None else str(self.directory)
            return self.scrub(_printable(f"{EMBEDDED}{directory} dbname={self.database}"))
        known = {**self.environment, **self.parameters}
        shown = [f"{name}={_presentable(known[name])}" for name in _SHOWN if known.get(name)]
        return self.scrub(" ".join(shown) or "libpq's defaults")

    @property
    def place(self) -> Mapping[str, str]:
        """The server (host and port, or its service) and the database by name, "" where it isn't known."""
        if self.kind is Kind.EMBEDDED:
            return {"server": EMBEDDED.rstrip(":"), "database": self.database}
        known = {**self.environment, **self.parameters}
        server = known.get("host") or known.get("hostaddr") or known.get("service") or ""
        port = known.get("port")
        return {
            "server": f"{server}:{port}" if server and port else server,
            "database": known.get("dbname") or known.get("user") or "",
        }

    def scrub(self, text: str) -> str:
        """Text without the target's passwords, for messages of libpq and the server."""
        return mask(text, self.secrets)

    def started(self, conninfo: str) -> Target:
        """This embedded target, now that its server runs at conninfo."""
        return replace(self, parameters=_parse(conninfo, self.source))

    def __repr__(self) -> str:
        return f"<Target {self.display} ({self.kind.value}, from {self.source})>"

    __str__ = __repr__


def resolve(
    *,
    dsn: str | None,
    environ: Mapping[str, str],
    settings_dsn: str | None,
    home: Path,
    settings_source: str = "database.dsn of the configuration",
) -> Target:
    """The target by the order above; what is blank counts as not given.

    dsn: the option. environ: the process's environment. settings_dsn: from the YAML, and
    settings_source how to call that ("database.dsn in FILE"). home: the user's home directory.

    Raises UsageError where a source is malformed (naming it, quoting nothing of it) or none is
    given.
    """
    for source, text in (
        ("--dsn", dsn),
        (VARIABLE, environ.get(VARIABLE)),
        (settings_source, settings_dsn),
    ):
        if text is not None and text.strip():
            return _from_dsn(text.strip(), source, environ, home)
    present = [name for name in LIBPQ_VARIABLES if environ.get(name, "").strip()]
    if present:
        return _server({}, f"libpq's variables ({', '.join(present)})", environ)
    file = home / ".openclaw" / "postgres.json"
    parameters = _read_openclaw(file)
    if parameters is not None:
        return _server(parameters, str(file), environ)
    raise UsageError("no database is given", remedy=_WAYS_ON)


def without_time_zone(options: str) -> str:
    """Options for the server (libpq's `options`, PGOPTIONS) without those that set TimeZone.

    Covers `-c timezone=...`, `-ctimezone=...` and `--timezone=...`, in any case; all else is kept
    as it was written, escapes included. Words are told apart as the server does: by white space
    that no backslash precedes.
    """
    words = re.findall(r"(?:\\.?|[^\s\\])+", options, re.DOTALL)
    kept: list[str] = []
    index = 0
    while index < len(words):
        word = re.sub(r"\\(.)", r"\1", words[index], flags=re.DOTALL)
        taken = 1
        setting = ""
        if word == "-c" and index + 1 < len(words):
            taken = 2
            setting = re.sub(r"\\(.)", r"\1", words[index + 1], flags=re.DOTALL)
        elif word.startswith(("-c", "--")):
            setting = word[2:]
        if not setting.lower().startswith("timezone="):
            kept += words[index : index + taken]
        index += taken
    return " ".join(kept)


def neutralise_environment(environ: MutableMapping[str, str], target: Target | None = None) -> None:
    """Take from the environment what libpq must not pick up, before connecting.

    environ: os.environ, which is where libpq looks, or one for a subprocess.

    PGTZ and a time zone in PGOPTIONS, always. For an embedded target everything of libpq's: it is
    complete as it is, and a PGSERVICE meant for another server would make it fail.
    """
    if target is not None and target.kind is Kind.EMBEDDED:
        for name in [name for name in environ if name.startswith("PG")]:
            del environ[name]
        return
    environ.pop("PGTZ", None)
    options = without_time_zone(environ.get("PGOPTIONS", ""))
    if options:
        environ["PGOPTIONS"] = options
    else:
        environ.pop("PGOPTIONS", None)


def mask(text: str, secrets: Iterable[str] = ()) -> str:
    """Text with each secret replaced by ***.

    Found raw, escaped by backslashes, and percent-encoded, in full or in part.
    What looks like the password of a DSN is masked too, known or not.
    """
    for secret in sorted(filter(None, secrets), key=len, reverse=True):
        text = re.sub("".join(map(_in_any_form, secret)), MASK, text)
    text = re.sub(r"(://[^\s:/@?#]*):\S*@", rf"\1:{MASK}@", text)
    names = "|".join(_SECRET)
    value = r"'(?:\\.|[^'\\])*'?|(?:\\.|[^\s\\&])+"
    return re.sub(rf"(?is)\b({names})(\s*=\s*)(?:{value})", rf"\1\2{MASK}", text)


def _in_any_form(character: str) -> str:
    """A pattern for a character of a secret, plain, in a quoted value or in a URI."""
    encoded = character.encode(errors="surrogatepass")
    forms = [
        rf"\\?{re.escape(character)}",
        "(?i:" + "".join(f"%{byte:02x}" for byte in encoded) + ")",
    ]
    if character == " ":
        forms.append(r"\+")
    return f"(?:{'|'.join(forms)})"


def _from_dsn(text: str, source: str, environ: Mapping[str, str], home: Path) -> Target:
    if text.startswith(EMBEDDED):
        return _embedded(text.removeprefix(EMBEDDED), source, home)
    return _server(_parse(text, source), source, environ)


def _server(parameters: Mapping[str, str], source: str, environ: Mapping[str, str]) -> Target:
    cleaned = dict(parameters)
    if "options" in cleaned:
        # Kept where nothing remains of it: without it libpq would take PGOPTIONS instead.
        cleaned["options"] = without_time_zone(cleaned["options"])
    secrets = {cleaned[name] for name in _SECRET if cleaned.get(name)}
    if environ.get("PGPASSWORD"):
        secrets.add(environ["PGPASSWORD"])
    around = {name: environ[variable] for name, variable in _SHOWN.items() if environ.get(variable)}
    return Target(source, Kind.SERVER, cleaned, environment=around, secrets=frozenset(secrets))


def _parse(text: str, source: str) -> dict[str, str]:
    """The parameters of a DSN.

    libpq's own complaint is dropped, for it quotes what it can't read, passwords too. What libpq
    takes without a complaint although a password must be in the wrong place is refused as well.
    """
    found = None
    if _encodable(text) and not _splits_a_password(text):
        with contextlib.suppress(psycopg.ProgrammingError):
            found = conninfo_to_dict(text)
    # Raised here, outside of the handler, so that the error doesn't carry libpq's along as its
    # context.
    if (
        found is None
        or not all(_encodable(str(value)) for value in found.values())
        or not re.fullmatch(r"[0-9,\s]*", str(found.get("port") or ""))
    ):
        raise UsageError(
            f"{source} holds no valid DSN (not shown, it may hold a password)", remedy=_FORM
        )
    return {name: str(value) for name, value in found.items() if value is not None}


def _splits_a_password(text: str) -> bool:
    """Whether text is a URI with an @ that can't be the one after the password.

    A bare @ or / within a password makes libpq take its rest for a host, port or database, which
    are shown.
    """
    found = re.match(r"postgres(?:ql)?://([^/?]*)([^?]*)", text)
    return found is not None and (found[1].count("@") > 1 or "@" in found[2])


def _embedded(rest: str, source: str, home: Path) -> Target:
    """`embedded:`, `embedded:DIR`, either with `?dbname=NAME`.

    DIR is taken as written, but for a leading ~.
    """
    path, _, query = rest.partition("?")
    try:
        pairs = (
            urllib.parse.parse_qsl(query, strict_parsing=True, keep_blank_values=True)
            if query
            else []
        )
    except ValueError:
        pairs = [("", "")]
    if len(pairs) > 1 or any(name != "dbname" or not value for name, value in pairs):
        raise UsageError(
            f"{source}: what follows the ? of {EMBEDDED} is not understood",
            remedy=f"the form is {EMBEDDED} or {EMBEDDED}/some/dir, either with ?dbname=NAME",
        )
    if path.startswith("//") and not path.startswith("///"):
        raise UsageError(
            f"{source}: {EMBEDDED}// names a host, but the embedded server is on this machine",
            remedy=f"the form is {EMBEDDED}/some/dir",
        )
    if path == "~" or path.startswith("~/"):
        path = f"{home}/{path[2:]}"
    directory = Path("/" + path.lstrip("/") if path.startswith("/") else path) if path else None
    database = pairs[0][1] if pairs else EMBEDDED_DATABASE
    return Target(source, Kind.EMBEDDED, directory=directory, database=database)


# The file belongs to OpenClaw: keys that it adds for its own use are no fault of ours to complain
# about. The two of TLS are taken because ignoring them would connect less safely than the file
# asks for.
_OPENCLAW_KEYS = {
    "host": "host",
    "port": "port",
    "database": "dbname",
    "user": "user",
    "password": "password",
    "sslmode": "sslmode",
    "sslrootcert": "sslrootcert",
}


def _read_openclaw(file: Path) -> dict[str, str] | None:
    """The parameters of OpenClaw's file, None where there is none.

    Raises UsageError for any fault in it.
    """
    try:
        if not stat.S_ISREG(file.stat().st_mode):
            raise _bad_file(file, "is not a regular file")
        raw = file.read_bytes()
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise _bad_file(file, f"can't be read: {error.strerror}") from None
    content = _json_object(raw, file)
    parameters = {}
    for key, name in _OPENCLAW_KEYS.items():
        value = content.get(key)
        if value is None:
            continue
        if key == "port":
            value = _port(value, file)
        elif not isinstance(value, str) or not value.strip() or not _encodable(value):
            raise _bad_file(file, f"{key} is not a string of at least one character without NUL")
        parameters[name] = value
    if "dbname" not in parameters:
        raise _bad_file(file, "database is missing")
    return parameters


def _json_object(raw: bytes, file: Path) -> dict[str, object]:
    """What raw holds. The decoders' errors are dropped once read: they carry all of the text."""
    fault = ""
    content = None
    try:
        content = json.loads(raw.decode("utf-8-sig"))
    except json.JSONDecodeError as error:
        fault = f" ({error.msg}, line {error.lineno}, column {error.colno})"
    except (ValueError, RecursionError) as error:
        fault = f" ({'not UTF-8' if isinstance(error, UnicodeDecodeError) else 'out of bounds'})"
    if not isinstance(content, dict):
        raise _bad_file(file, f"is not a JSON object{fault}")
    return content


def _port(value: object, file: Path) -> str:
    """A port as text; a number in a string is accepted, as drivers do."""
    text = str(value) if isinstance(value, (int, str)) and not isinstance(value, bool) else ""
    if not re.fullmatch(r"[0-9]{1,5}", text) or not 1 <= int(text) <= 65535:
        raise _bad_file(file, "port is not a whole number from 1 to 65535")
    return text


def _bad_file(file: Path, fault: str) -> UsageError:
    return UsageError(
        f"{file}: {fault}",
        remedy='it holds {"host": "...", "port": 5432, "database": "...", "user": "...", '
        '"password": "..."}, of which database is needed; or name the database by --dsn',
    )


def _encodable(text: str) -> bool:
    """Whether libpq can take text: a NUL would end it early, a lone surrogate has no bytes."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return "\0" not in text


def _presentable(value: str) -> str:
    """A parameter on one line.

    A whole DSN put where a name belongs isn't shown, for it may hold a password.
    """
    return MASK if "=" in value or "://" in value else _printable(value)


def _printable(text: str) -> str:
    return "".join(character if character.isprintable() else "?" for character in text)
