"""The settings as typed, checked, frozen values (spec 10).

The models say what is allowed; what holds where nothing is said stands in the default YAML, so they
have hardly any defaults. `config.faults` puts errors into words: a rule here raises a ValueError
whose text ends the sentence "durability.ephemeral.half_life is 10m; ...".
"""

from __future__ import annotations

import re
import zoneinfo
from collections.abc import Callable, Mapping
from datetime import timedelta
from typing import Annotated, Any, Final, Literal
from urllib.parse import urlsplit

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    SecretStr,
    WithJsonSchema,
    model_validator,
)

from memory_maintenance.config.durations import (
    DURATION_PATTERN,
    HALF_LIFE_PATTERN,
    format_duration,
    parse_duration,
    parse_half_life,
    parse_limit,
)
from memory_maintenance.config.rates import RATE_PATTERN, format_rate, parse_rate
from memory_maintenance.model.identifiers import parse_identifier, parse_qualified_name

DurabilityName = Literal["permanent", "long_term", "short_term", "ephemeral"]

SHORTEST_HALF_LIFE: Final = timedelta(seconds=1)
# PostgreSQL keeps timeouts as milliseconds in 31 bits, which is 24.8 days.
LONGEST_TIMEOUT: Final = timedelta(days=24)
LONGEST_SPAN: Final = timedelta(days=365 * 1_000_000)
LONGEST_PING: Final = timedelta(seconds=60)
# One batch may write a few MB: below this it would be waited for by the minute.
LOWEST_WAL_BYTES_PER_S: Final = 64 * 1024
HIGHEST_WAL_BYTES_PER_S: Final = 1024**4

MAY_BE_NEVER: Final = frozenset({"half_life", "max_replication_lag", "max_wal_rate"})
"""Keys whose value may be never, None in Python."""


def _reader(parse: Callable[[str], timedelta | None]) -> Callable[[Any], Any]:
    def read(value: Any) -> Any:
        match value:
            case str():
                return parse(value)
            case bool() | None:
                return value
            case int() | float():
                # Raises, with the advice for a number that lacks its unit.
                return parse(str(value))
        return value

    return read


def _between(least: timedelta, most: timedelta) -> Callable[[timedelta | None], timedelta | None]:
    said = {LONGEST_SPAN: "1000000y", LONGEST_TIMEOUT: "24d", LONGEST_PING: "60s"}[most]

    def check(span: timedelta | None) -> timedelta | None:
        if span is not None and not least <= span <= most:
            raise ValueError(f"the range is {format_duration(least)} to {said}")
        return span

    return check


def _rate(value: Any) -> int | None:
    if value is None:
        return None  # `config.faults` says that it is empty
    if not isinstance(value, str | int | float) or isinstance(value, bool):
        raise ValueError("write a number and a unit, such as 20MB; or never")  # noqa: TRY004 - pydantic's
    rate = parse_rate(str(value))
    if rate is not None and not LOWEST_WAL_BYTES_PER_S <= rate <= HIGHEST_WAL_BYTES_PER_S:
        least, most = format_rate(LOWEST_WAL_BYTES_PER_S), format_rate(HIGHEST_WAL_BYTES_PER_S)
        raise ValueError(f"the range is {least} to {most} per second")
    return rate


def _zone(name: str) -> str:
    try:
        zoneinfo.ZoneInfo(name)
    except (zoneinfo.ZoneInfoNotFoundError, ValueError, OSError):
        raise ValueError(
            "no such time zone: use an IANA name such as UTC or Europe/Berlin"
        ) from None
    return name


def _table(text: str) -> str:
    parse_qualified_name(text)
    return text


def _schema(text: str) -> str:
    parse_identifier(text)
    return text


def _category(text: str) -> str:
    if not text.strip() or text != text.strip() or not text.isprintable():
        raise ValueError("a category needs a name without blanks around it or control characters")
    return text


def _endpoint(text: str) -> str:
    try:
        parts = urlsplit(text)
        usable = parts.scheme in ("http", "https") and parts.hostname and parts.port != 0
    except ValueError:
        usable = None
    if not usable or not text.isascii() or any(c.isspace() or not c.isprintable() for c in text):
        raise ValueError("write a URL such as http://localhost:11434/v1")
    if "@" in text or "?" in text or "#" in text:
        raise ValueError("a URL without user, password, ? and #; the key comes from api_key_env")
    return text.rstrip("/")


def _variable(text: str) -> str:
    # A key that was put here by mistake has small letters or dashes, as nearly all have.
    if re.fullmatch("[A-Z_][A-Z0-9_]{0,99}", text) is None:
        raise ValueError(
            "write the name of an environment variable in capitals, such as OPENROUTER_API_KEY, never the "
            "key itself"
        )
    return text


def _model_name(text: str) -> str:
    if not text.strip() or text != text.strip() or not text.isprintable():
        raise ValueError("write the model's name as the endpoint knows it, such as qwen2.5:7b")
    return text


def _directory(text: str) -> str:
    if not text.startswith("/") or not text.isprintable():
        raise ValueError("write a folder from the root, such as /var/lib/prometheus/node-exporter")
    return text


def _ping_url(secret: SecretStr) -> SecretStr:
    text = secret.get_secret_value()
    try:
        parts = urlsplit(text)
        usable = parts.scheme in ("http", "https") and parts.hostname and parts.port != 0
    except ValueError:
        usable = None
    if not usable or "#" in text or not all("!" <= c <= "~" for c in text):
        raise ValueError("write a URL such as https://hc-ping.com/ and the check's UUID")
    return secret


def _old_type(text: str) -> str:
    if not text.isprintable():
        raise ValueError("a value of data_type has no control characters")
    return text


_DURATION_SCHEMA: Final = WithJsonSchema(
    {"type": "string", "pattern": DURATION_PATTERN, "examples": ["36h", "10d"]}
)
_TIMEOUT_SCHEMA: Final = WithJsonSchema(
    {"type": "string", "pattern": DURATION_PATTERN, "examples": ["5s", "5min"]}
)
_HALF_LIFE_SCHEMA: Final = WithJsonSchema(
    {"type": "string", "pattern": HALF_LIFE_PATTERN, "examples": ["36h", "10d", "never"]}
)

HalfLife = Annotated[
    timedelta | None,
    BeforeValidator(_reader(parse_half_life)),
    AfterValidator(_between(SHORTEST_HALF_LIFE, LONGEST_SPAN)),
    _HALF_LIFE_SCHEMA,
]
LagLimit = Annotated[
    timedelta | None,
    BeforeValidator(_reader(parse_limit)),
    AfterValidator(_between(timedelta(seconds=1), LONGEST_TIMEOUT)),
    WithJsonSchema(
        {"type": "string", "pattern": HALF_LIFE_PATTERN, "examples": ["30s", "5min", "never"]}
    ),
]
WalRate = Annotated[
    int | None,
    BeforeValidator(_rate),
    WithJsonSchema({"type": "string", "pattern": RATE_PATTERN, "examples": ["20MB", "never"]}),
]
Span = Annotated[
    timedelta,
    BeforeValidator(_reader(parse_duration)),
    AfterValidator(_between(timedelta(0), LONGEST_SPAN)),
    _DURATION_SCHEMA,
]
ServerTimeout = Annotated[
    timedelta,
    BeforeValidator(_reader(parse_duration)),
    AfterValidator(_between(timedelta(milliseconds=1), LONGEST_TIMEOUT)),
    _TIMEOUT_SCHEMA,
]
ConnectTimeout = Annotated[
    timedelta,
    BeforeValidator(_reader(parse_duration)),
    AfterValidator(_between(timedelta(seconds=1), LONGEST_TIMEOUT)),
    _TIMEOUT_SCHEMA,
]
PingTimeout = Annotated[
    timedelta,
    BeforeValidator(_reader(parse_duration)),
    AfterValidator(_between(timedelta(milliseconds=100), LONGEST_PING)),
    _TIMEOUT_SCHEMA,
]
Shape = Annotated[float, Field(ge=0.1, le=10)]
Fraction = Annotated[float, Field(ge=0, le=1)]
FractionAboveZero = Annotated[float, Field(gt=0, le=1)]
ZoneName = Annotated[str, AfterValidator(_zone)]
TableName = Annotated[str, AfterValidator(_table)]
SchemaName = Annotated[str, AfterValidator(_schema)]
CategoryName = Annotated[str, AfterValidator(_category)]
CategoryWeight = Annotated[float, Field(gt=0, le=2)]
TextSearchName = Annotated[str, AfterValidator(_schema)]
OldType = Annotated[str, AfterValidator(_old_type)]
EndpointUrl = Annotated[str, AfterValidator(_endpoint)]
VariableName = Annotated[str, AfterValidator(_variable)]
ModelName = Annotated[str, AfterValidator(_model_name)]
FolderName = Annotated[str, AfterValidator(_directory)]
PingUrl = Annotated[SecretStr, AfterValidator(_ping_url)]


class _Section(BaseModel):
    # Strict: "0.1" in quotes is text, and true is no number. hide_input_in_errors is the second
    # defence of passwords; the first is that no pydantic message is ever shown.
    model_config = ConfigDict(
        frozen=True, extra="forbid", strict=True, hide_input_in_errors=True, allow_inf_nan=False
    )


_SHAPE_HELP: Final = (
    "Curve of the decay, 0.1 to 10: 1.0 is exponential; above 1 starts slowly and then falls "
    "faster; below 1 falls fast and then flattens"
)


class DatabaseSettings(_Section):
    """Which table of which database, and how long to wait for it (spec 9)."""

    dsn: SecretStr | None = Field(
        default=None, description="Connection string: a URL, or key=value pairs as libpq reads them"
    )
    schema_: SchemaName | None = Field(
        default=None,
        alias="schema",
        description="Schema of the table, where the table's name doesn't say (public by default)",
    )
    table: TableName = Field(
        description="Table of facts in SQL syntax: name, schema.name, either part in double quotes"
    )
    connect_timeout: ConnectTimeout = Field(
        description="How long to wait for the server to answer, 1s to 24d"
    )
    lock_timeout: ServerTimeout = Field(
        description="How long a statement may wait for a lock before it is retried, 0.001s to 24d"
    )
    statement_timeout: ServerTimeout = Field(
        description="How long any one statement may take, more than lock_timeout, to 24d"
    )
    idle_in_transaction_session_timeout: ServerTimeout = Field(
        description="How long a transaction may stand idle before the server ends it, 0.001s to 24d"
    )
    zoneless_timezone: ZoneName | None = Field(
        default=None,
        description="IANA zone in which timestamps without zone were written; "
        "without it, the zone that sessions of the database have by default",
    )

    @property
    def qualified_table(self) -> tuple[str, str]:
        """The (schema, table) meant, folded and unquoted; public where no schema is set."""
        schema, table = parse_qualified_name(self.table)
        if self.schema_ is not None:
            schema = parse_identifier(self.schema_)
        return schema or "public", table

    @model_validator(mode="after")
    def _schemas_agree(self) -> DatabaseSettings:
        schema, _ = parse_qualified_name(self.table)
        if None not in (schema, self.schema_) and self.qualified_table[0] != schema:
            raise ValueError("schema and table name two different schemas: leave one of them out")
        return self

    @model_validator(mode="after")
    def _contention_is_seen_as_such(self) -> DatabaseSettings:
        # Whichever ends first tells the server's error: a lock is tried again, a long statement is not.
        if self.statement_timeout <= self.lock_timeout:
            raise ValueError(
                f"statement_timeout ({format_duration(self.statement_timeout)}) must be longer than "
                f"lock_timeout ({format_duration(self.lock_timeout)}): otherwise a statement that waits "
                "for a lock is ended as one that takes too long, and isn't tried again"
            )
        return self


class DurabilityPolicy(_Section):
    """How confidence decays for one durability (spec 3). half_life None means never."""

    half_life: HalfLife = Field(
        description="Span after which half of the confidence is left, 1s to 1000000y, or never"
    )
    shape: Shape = Field(default=1.0, description=_SHAPE_HELP)


class AfterDeadline(_Section):
    """How an obligation decays once its deadline has passed (spec 5). None means never."""

    half_life: HalfLife = Field(
        description="Half-life counted from deadline and grace, 1s to 1000000y, or never"
    )
    grace: Span = Field(
        description="Delay between the deadline and the start of the decay, 0h and more"
    )


class CategoryPolicy(_Section):
    """How confidence decays for one category, before its durability is asked (spec 3, 5)."""

    half_life: HalfLife = Field(
        description="Span after which half of the confidence is left, 1s to 1000000y, or never"
    )
    shape: Shape = Field(default=1.0, description=_SHAPE_HELP)
    after_deadline: AfterDeadline | None = Field(
        default=None, description="For obligation only: the decay once the deadline has passed"
    )


class ConfidenceSettings(_Section):
    """How computed confidence is written (spec 3)."""

    min_delta: Fraction = Field(description="Smallest change of confidence that is written, 0 to 1")
    adopt: Literal["now", "history"] = Field(
        description="From when facts found at the first run decay: from that run on (now), or from "
        "their last confirmation (history)"
    )


class ObligationSettings(_Section):
    """How deadlines are read (spec 5)."""

    day_order: Literal["none", "dmy", "mdy"] = Field(
        description="How 03/04 is read: day first (dmy), month first (mdy), or not at all (none)"
    )


class AccessTier(_Section):
    """A factor on importance for facts retrieved less than `within` ago; None takes the rest."""

    within: Span | None = Field(
        default=None,
        description="The last access was less than this long ago; not in the last tier",
    )
    factor: FractionAboveZero = Field(description="Factor on the importance, above 0, to 1")


def _tiers(tiers: tuple[AccessTier, ...]) -> tuple[AccessTier, ...]:
    spans = [tier.within for tier in tiers]
    if not tiers or spans[-1] is not None or None in spans[:-1]:
        raise ValueError("every tier has `within` but the last, which takes the rest and has none")
    bounded = [span for span in spans if span is not None]
    if any(span == timedelta(0) for span in bounded) or sorted(set(bounded)) != bounded:
        raise ValueError("`within` starts above 0 and grows from tier to tier")
    return tiers


class ImportanceSettings(_Section):
    """How effective importance fades (spec 4). half_life None means never."""

    half_life: HalfLife = Field(
        description="Span after which half of the importance is left, 1s to 1000000y, or never"
    )
    shape: Shape = Field(description=_SHAPE_HELP)
    clock: Literal["confirmed", "accessed"] = Field(
        description="What the half-life counts from: the last confirmation, or also the last access"
    )
    access_boost: Annotated[tuple[AccessTier, ...], AfterValidator(_tiers)] = Field(
        description="Factors by time since the last access; the first tier that fits is used"
    )


class ScoringSettings(_Section):
    """Which model scores the importance of facts, and how it is asked (spec 4). Off without base_url."""

    base_url: EndpointUrl | None = Field(
        default=None,
        description="OpenAI-compatible endpoint, such as http://localhost:11434/v1; facts are sent there",
    )
    model: ModelName | None = Field(
        default=None, description="The model's name as the endpoint knows it"
    )
    api_key_env: VariableName | None = Field(
        default=None,
        description="Name of the environment variable that holds the key, in capitals; never the key",
    )
    temperature: Annotated[float, Field(ge=0, le=2)] | None = Field(
        default=None, description="Sent where it is set, 0 to 2; some models accept no other than 1"
    )
    plain_http: bool = Field(
        description="Whether facts and key may go unencrypted to another machine (http://)"
    )
    batch_size: int = Field(
        ge=1,
        le=200,
        description="Facts per request, 1 to 200; 1 keeps facts from swaying each other",
    )
    concurrency: int = Field(ge=1, le=32, description="Requests under way at once, 1 to 32")
    timeout: ServerTimeout = Field(description="How long to wait for one answer, 0.001s to 24d")
    retries: int = Field(
        ge=0,
        le=20,
        description="How often a request is repeated after 429, 5xx, a timeout or a lost connection",
    )
    max_requests: int = Field(
        ge=1,
        le=1_000_000,
        description="Most requests that one run sends, repeated ones included: the ceiling of its cost",
    )


class RecallSettings(_Section):
    """How recall ranks what it finds (spec 4)."""

    min_similarity: Fraction = Field(
        description="Facts less similar to the query than this are not given, 0 to 1; by embeddings"
    )
    min_text_similarity: Fraction = Field(
        description="The same where texts are compared (trigrams, or words), 0 to 1"
    )
    importance_weight: Fraction = Field(
        description="How much importance counts in the ranking: 0 is similarity alone, 1 the product of both"
    )
    category_weight: Mapping[CategoryName, CategoryWeight] = Field(
        description="Factors on the score by category, above 0, to 2; 1 where none is given"
    )
    text_search: TextSearchName = Field(
        description="Text search configuration by which words are compared, such as english or simple"
    )


class ArchiveSettings(_Section):
    """Which facts the archive takes (spec 8)."""

    threshold: Fraction = Field(
        description="Facts with less confidence than this are taken, 0 to 1"
    )
    min_age: Span = Field(description="Facts younger than this are left, 0h and more")
    max_fraction: FractionAboveZero = Field(
        description="A run that would take more of the table than this fraction stops; to 1"
    )
    keep_importance: int = Field(
        ge=1,
        le=11,
        description="Importance of this and more is kept, 1 to 10; 11 keeps none for it",
    )


class BackfillSettings(_Section):
    """How far the batches of a migration hold back (spec 9). None means that nothing is waited for."""

    max_replication_lag: LagLimit = Field(
        description="While a standby lags more than this, batches wait: 1s to 24d, or never"
    )
    max_wal_bytes_per_s: WalRate = Field(
        alias="max_wal_rate",
        description="WAL per second that batches may write on average, such as 20MB: 64kB to 1024GB, "
        "or never for no limit",
    )


class ContractSettings(_Section):
    """When the old column may be dropped (spec 9)."""

    quiet: Span = Field(
        description="Refused while the last write in the old style is younger than this, 0h and more"
    )


PingedCommand = Literal["run", "decay", "expire-obligations"]


def _each_command_once(commands: tuple[str, ...]) -> tuple[str, ...]:
    if not commands or len(set(commands)) != len(commands):
        raise ValueError("name at least one command, and each only once")
    return commands


class MonitoringSettings(_Section):
    """Who is told how runs went. Neither of the two is unless it is set."""

    textfile_directory: FolderName | None = Field(
        default=None,
        description="Folder of node_exporter's textfile collector, where metrics are written",
    )
    ping_url: PingUrl | None = Field(
        default=None,
        description="Ping URL of a check as of healthchecks.io; who knows it can ping, so it is never shown",
    )
    ping_commands: Annotated[tuple[PingedCommand, ...], AfterValidator(_each_command_once)] = Field(
        description="Commands that ping: run, decay, expire-obligations"
    )
    ping_timeout: PingTimeout = Field(description="How long one ping may take, 0.1s to 60s")


def _axes(axes: tuple[str, str]) -> tuple[str, str]:
    durability, category = axes
    if category == "mood" and durability not in {"ephemeral", "short_term"}:
        raise ValueError("a mood is ephemeral or short_term, nothing more")
    return axes


Axes = Annotated[tuple[DurabilityName, CategoryName], AfterValidator(_axes)]

_AXES_SCHEMA: Final = {
    "type": "object",
    "additionalProperties": {
        "type": "array",
        "prefixItems": [
            {"enum": ["permanent", "long_term", "short_term", "ephemeral"]},
            {"type": "string", "minLength": 1},
        ],
        "minItems": 2,
        "maxItems": 2,
    },
}


def _each_step_once(steps: tuple[str, ...]) -> tuple[str, ...]:
    if not steps or len(set(steps)) != len(steps):
        raise ValueError("name at least one step, and each only once")
    return steps


class Settings(_Section):
    """Everything that can be set. Built by `config.load.load`, which knows each value's origin."""

    database: DatabaseSettings = Field(description="Which table of which database, and timeouts")
    timezone: ZoneName = Field(description="IANA zone of bare dates in deadlines")
    durability: Mapping[DurabilityName, DurabilityPolicy] = Field(
        description="Decay of confidence by durability"
    )
    category: Mapping[CategoryName, CategoryPolicy] = Field(
        description="Decay of confidence by category, asked before the durability"
    )
    confidence: ConfidenceSettings = Field(description="How computed confidence is written")
    obligation: ObligationSettings = Field(description="How deadlines are read")
    importance: ImportanceSettings = Field(description="How effective importance fades")
    scoring: ScoringSettings = Field(description="Which model scores the importance of facts")
    recall: RecallSettings = Field(description="How recall ranks what it finds")
    archive: ArchiveSettings = Field(description="Which facts the archive takes")
    backfill: BackfillSettings = Field(description="How far the batches of a migration hold back")
    contract: ContractSettings = Field(description="When the old column may be dropped")
    monitoring: MonitoringSettings = Field(description="Who is told how runs went")
    data_type: Annotated[Mapping[OldType | None, Axes], WithJsonSchema(_AXES_SCHEMA)] = Field(
        description="Map from the old data_type to [durability, category]; the key null is NULL"
    )
    run: Annotated[tuple[str, ...], AfterValidator(_each_step_once)] = Field(
        description="Steps of `memory-maintenance run`, in order"
    )
