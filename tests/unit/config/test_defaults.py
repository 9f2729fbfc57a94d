"""The shipped YAML is what is built in, it is the specification's, and it explains every key."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import jsonschema
import pytest
import yaml
from pydantic import BaseModel, ValidationError

from memory_maintenance.config.load import built_in_text, load
from memory_maintenance.config.models import (
    MAY_BE_NEVER,
    CategoryPolicy,
    DatabaseSettings,
    DurabilityPolicy,
    Settings,
)
from memory_maintenance.config.schema import json_schema

ROOT = Path(__file__).parents[3]
DEFAULT = ROOT / "config" / "memory-maintenance.yaml"


def model_keys(model: type[BaseModel] = Settings) -> set[str]:
    """Every key that a file may hold, names that users choose apart."""
    schema = model.model_json_schema(by_alias=True)
    objects = [schema, *schema["$defs"].values()]
    return {key for part in objects for key in part.get("properties", {})}


def test_the_default_file_is_what_is_built_in() -> None:
    assert built_in_text() == DEFAULT.read_text(encoding="utf-8")


def test_the_default_file_read_as_a_file_changes_nothing() -> None:
    read, built_in = load(DEFAULT, environ={}), load(environ={})
    assert read.settings == built_in.settings
    assert read.policy_hash == built_in.policy_hash


def test_the_defaults_are_those_of_the_specification() -> None:
    settings = load(environ={}).settings
    policies: list[tuple[str, DurabilityPolicy | CategoryPolicy]] = [
        *settings.durability.items(),
        *settings.category.items(),
    ]
    hours = {
        name: None if p.half_life is None else p.half_life / timedelta(hours=1)
        for name, p in policies
    }
    assert hours == {
        "permanent": 3650 * 24,
        "long_term": 180 * 24,
        "short_term": 10 * 24,
        "ephemeral": 36,
        "decision": None,
        "routine": None,
        "mood": 36,
        "obligation": None,
    }
    late = settings.category["obligation"].after_deadline
    assert late is not None
    assert (late.half_life, late.grace) == (timedelta(hours=48), timedelta(0))
    assert {p.shape for _, p in policies} == {1.0}
    assert (settings.importance.half_life, settings.importance.shape) == (timedelta(days=14), 1.5)
    assert settings.backfill.max_replication_lag == timedelta(seconds=30)
    assert settings.backfill.max_wal_bytes_per_s is None
    assert settings.contract.quiet == timedelta(hours=24)
    assert [(t.within, t.factor) for t in settings.importance.access_boost] == [
        (timedelta(days=3), 1.0),
        (timedelta(days=7), 0.8),
        (None, 0.5),
    ]
    assert settings.data_type == {
        "permanent": ("permanent", "identity"),
        "identity": ("permanent", "identity"),
        "preference": ("long_term", "preference"),
        "observation": ("long_term", "observation"),
        None: ("long_term", "observation"),
        "temporal": ("short_term", "state"),
        "trait": ("permanent", "identity"),
        "mood": ("ephemeral", "mood"),
        "state": ("short_term", "state"),
        "decision": ("long_term", "decision"),
        "routine": ("long_term", "routine"),
        "obligation": ("short_term", "obligation"),
    }


@pytest.mark.parametrize("key", sorted(model_keys()))
def test_every_key_is_explained(key: str) -> None:
    assert f"`{key}`" in (ROOT / "docs" / "configuration.md").read_text(encoding="utf-8")
    assert f"{key}:" in DEFAULT.read_text(encoding="utf-8")


def test_every_key_has_a_description_in_the_schema() -> None:
    schema = json_schema()
    for part in (schema, *schema["$defs"].values()):
        assert all(field["description"] for field in part.get("properties", {}).values())


def test_what_may_be_never_is_known_as_such() -> None:
    schema = json_schema()
    fields = {
        key: str(field.get("pattern"))
        for part in (schema, *schema["$defs"].values())
        for key, field in part.get("properties", {}).items()
    }
    assert {key for key, pattern in fields.items() if "never" in pattern} == MAY_BE_NEVER


def test_the_documented_examples_are_valid(tmp_path: Path) -> None:
    text = (ROOT / "docs" / "configuration.md").read_text(encoding="utf-8")
    examples = [block.partition("```")[0] for block in text.split("```yaml\n")[1:]]
    assert examples
    for example in examples:
        path = tmp_path / "example.yaml"
        path.write_text(example, encoding="utf-8")
        load(path, environ={})


def test_the_schema_is_a_schema_and_accepts_the_default_file() -> None:
    schema = json_schema()
    jsonschema.Draft202012Validator.check_schema(schema)
    document = yaml.safe_load(DEFAULT.read_text(encoding="utf-8"))
    document["data_type"]["null"] = document["data_type"].pop(None)
    jsonschema.validate(document, schema)


@pytest.mark.parametrize(
    "document",
    [None, {}, {"durability": None}, {"durability": {"ephemeral": {"shape": 2}}}, {"database": {}}],
)
def test_the_schema_accepts_a_file_that_holds_only_what_differs(document: object) -> None:
    jsonschema.validate(document, json_schema())


@pytest.mark.parametrize(
    "document",
    [
        {"durabilty": {}},
        {"durability": {"mood": {}}},
        {"durability": {"ephemeral": {"half_life": "10m"}}},
        {"durability": {"ephemeral": {"half_life": 10}}},
        {"durability": {"ephemeral": {"shape": 0}}},
        {"database": {"lock_timeout": "never"}},
        {"backfill": {"max_wal_rate": 20}},
        {"backfill": {"max_wal_rate": "20M"}},
        {"backfill": {"max_wal_bytes_per_s": "20MB"}},
        {"contract": {"quiet": "never"}},
        {"data_type": {"x": ["forever", "y"]}},
        {"data_type": {"x": ["long_term"]}},
        {"importance": {"access_boost": [{"within": "3d"}]}},
        {"run": "decay"},
        [],
    ],
)
def test_the_schema_refuses_what_loading_refuses(document: object) -> None:
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(document, json_schema())


def test_settings_cannot_be_changed() -> None:
    settings = load(environ={}).settings
    with pytest.raises(ValidationError, match="frozen"):
        settings.timezone = "CET"


def test_the_errors_of_the_models_themselves_hide_what_they_were_given() -> None:
    with pytest.raises(ValidationError) as refusal:
        DatabaseSettings.model_validate({"dsn": 12345, "table": "hunter2.hunter2.hunter2"})
    assert "hunter2" not in str(refusal.value)
