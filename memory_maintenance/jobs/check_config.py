"""`check-config`: the settings in force, and the line that each of them comes from (spec 3, 10)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Final, Literal

from pydantic import BaseModel, SecretStr

from memory_maintenance.config.document import Path, dotted
from memory_maintenance.config.durations import format_duration
from memory_maintenance.config.load import BUILT_IN, Loaded
from memory_maintenance.config.models import MAY_BE_NEVER, AccessTier
from memory_maintenance.config.rates import format_rate
from memory_maintenance.model.result import Block, Column, Heading, KeyValues, Note, Result, Table

_TABLES: Final = frozenset({"durability", "category", "data_type"})


@dataclass(frozen=True, slots=True)
class PolicyRow:
    """One rule of decay (spec 3).

    when: "after its deadline" for what follows the deadline of obligations, else None. half_life_s:
    seconds, None for never. grace_s: seconds from the deadline to the start of the decay, None
    where there is no deadline. source: "built-in:12" or the like; several where the row was put
    together from several lines.
    """

    axis: Literal["durability", "category"]
    name: str
    when: str | None
    half_life_s: float | None
    shape: float
    grace_s: float | None
    source: str


@dataclass(frozen=True, slots=True)
class MappingRow:
    """Where a value of the old data_type goes (spec 1). data_type: None for NULL."""

    data_type: str | None
    durability: str
    category: str
    source: str


@dataclass(frozen=True, slots=True)
class ValueRow:
    """Any other setting. value: as one would write it in YAML; "(set)" for what may be secret."""

    key: str
    value: str
    source: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckConfigResult(Result):
    """The effective configuration. files: what was read besides the built-in defaults.

    policy_hash: as `Loaded.policy_hash`; the ledger has it for each run.
    """

    files: tuple[str, ...]
    policy_hash: str
    policies: tuple[PolicyRow, ...]
    data_types: tuple[MappingRow, ...]
    values: tuple[ValueRow, ...]

    def blocks(self) -> Sequence[Block]:
        """Files, policies, the map and the other values, each with its line."""
        return (
            Heading("Configuration"),
            KeyValues(
                (
                    ("read", ", ".join(self.files) or "no file; all of it is built in"),
                    ("policy", self.policy_hash[:12]),
                )
            ),
            Table(
                (
                    Column("axis"),
                    Column("value"),
                    Column("half-life", "right"),
                    Column("shape", "right"),
                    Column("from"),
                ),
                tuple(_policy_cells(row) for row in self.policies),
                title="Decay of confidence; a category's rule comes before a durability's",
            ),
            Table(
                (Column("data_type"), Column("durability"), Column("category"), Column("from")),
                tuple(
                    (
                        "NULL" if row.data_type is None else row.data_type,
                        row.durability,
                        row.category,
                        row.source,
                    )
                    for row in self.data_types
                ),
                title="Old types and where they go",
            ),
            Table(
                (Column("key"), Column("value"), Column("from")),
                tuple((row.key, row.value, row.source) for row in self.values),
                title="Other settings",
            ),
            Note("The configuration is valid."),
        )


def check_config(loaded: Loaded) -> CheckConfigResult:
    """The settings in force with their origins, for people and programs. Asks no database.

    Faults of a configuration aren't found here: `config.load.load` has raised ConfigError for them.
    """
    return CheckConfigResult(
        command="check-config",
        table=loaded.settings.database.table,
        files=loaded.files,
        policy_hash=loaded.policy_hash,
        policies=_policies(loaded),
        data_types=tuple(
            MappingRow(old, durability, category, _source(loaded, ("data_type", old)))
            for old, (durability, category) in loaded.settings.data_type.items()
        ),
        values=_values(loaded),
    )


def _policies(loaded: Loaded) -> tuple[PolicyRow, ...]:
    rows: list[PolicyRow] = []
    for durability, policy in loaded.settings.durability.items():
        source = _source(loaded, ("durability", durability), "half_life", "shape")
        half_life_s = _seconds(policy.half_life)
        rows.append(
            PolicyRow("durability", durability, None, half_life_s, policy.shape, None, source)
        )
    for name, rule in loaded.settings.category.items():
        source = _source(loaded, ("category", name), "half_life", "shape")
        half_life_s = _seconds(rule.half_life)
        rows.append(PolicyRow("category", name, None, half_life_s, rule.shape, None, source))
        if late := rule.after_deadline:
            path = ("category", name, "after_deadline")
            source = _source(loaded, path, "half_life", "grace")
            half_life_s, grace_s = _seconds(late.half_life), late.grace.total_seconds()
            # The specification has S(age, 48h) here: the curve is exponential.
            when, shape = "after its deadline", 1.0
            rows.append(PolicyRow("category", name, when, half_life_s, shape, grace_s, source))
    return tuple(rows)


def _values(loaded: Loaded) -> tuple[ValueRow, ...]:
    settings = loaded.settings
    rows: list[ValueRow] = []
    for section in type(settings).model_fields:
        if section in _TABLES:
            continue
        value = getattr(settings, section)
        if isinstance(value, BaseModel):
            rows += (
                _value_row(loaded, (section, field.alias or name), getattr(value, name))
                for name, field in type(value).model_fields.items()
            )
        else:
            rows.append(_value_row(loaded, (section,), value))
    return tuple(rows)


def _value_row(loaded: Loaded, path: Path, value: object) -> ValueRow:
    return ValueRow(dotted(path), _written(path, value), _source(loaded, path))


def _written(path: Path, value: object) -> str:
    """A value for reading: spans and rates with their unit, lists in one line, secrets not at all."""
    text = str(value)
    match value:
        case SecretStr():
            text = "(set)"
        case None:
            text = format_duration(None) if path[-1] in MAY_BE_NEVER else "not set"
        case int() if path[-1] == "max_wal_rate":
            text = format_rate(value)
        case timedelta():
            text = format_duration(value)
        case AccessTier(within=None):
            text = f"{value.factor!r} otherwise"
        case AccessTier():
            text = f"{value.factor!r} within {format_duration(value.within)}"
        case tuple():
            text = ", ".join(_written(path, item) for item in value)
    return text


def _seconds(span: timedelta | None) -> float | None:
    return None if span is None else span.total_seconds()


def _source(loaded: Loaded, path: Path, *keys: str) -> str:
    """The place of the value at path, or of those of its keys that are set, each place once."""
    paths = [(*path, key) for key in keys] or [path]
    found = [loaded.origins.get(dotted(p)) for p in paths]
    places = dict.fromkeys(str(origin) for origin in found if origin is not None)
    return ", ".join(places) or BUILT_IN


def _policy_cells(row: PolicyRow) -> tuple[str, ...]:
    name = row.name if row.when is None else f"{row.name}, {row.when}"
    half_life = _spelt(row.half_life_s)
    if row.grace_s:
        half_life += f" (grace {_spelt(row.grace_s)})"
    return row.axis, name, half_life, repr(row.shape), row.source


def _spelt(seconds: float | None) -> str:
    return format_duration(None if seconds is None else timedelta(seconds=seconds))
