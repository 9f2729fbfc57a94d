"""Where two configurations differ, setting by setting."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta

from memory_maintenance.config.durations import format_duration
from memory_maintenance.config.load import Loaded
from memory_maintenance.jobs.check_config import check_config


@dataclass(frozen=True, slots=True)
class Setting:
    """A setting that differs, by its dotted key, spelt as in YAML. None: there is none of that name."""

    key: str
    before: str | None
    after: str | None


def differences(loaded: Loaded, other: Loaded) -> Sequence[Setting]:
    """The settings that differ, in the order of the configuration; of a secret that there is one or none."""
    before, after = _spelt(loaded), _spelt(other)
    return [
        Setting(key, before.get(key), after.get(key))
        for key in before | after
        if before.get(key) != after.get(key)
    ]


def _spelt(loaded: Loaded) -> dict[str, str]:
    checked = check_config(loaded)
    spelt: dict[str, str] = {}
    for rule in checked.policies:
        path = f"{rule.axis}.{rule.name}" + (".after_deadline" if rule.when else "")
        spelt[f"{path}.half_life"] = _duration(rule.half_life_s)
        spelt[f"{path}.shape"] = f"{rule.shape!r}"
        if rule.grace_s is not None:
            spelt[f"{path}.grace"] = _duration(rule.grace_s)
    for entry in checked.data_types:
        old = "null" if entry.data_type is None else entry.data_type
        spelt[f"data_type.{old}"] = f"[{entry.durability}, {entry.category}]"
    return spelt | {row.key: row.value for row in checked.values}


def _duration(seconds: float | None) -> str:
    return format_duration(None if seconds is None else timedelta(seconds=seconds))
