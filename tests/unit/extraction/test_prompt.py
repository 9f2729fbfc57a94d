"""The contract with an extractor's model: what it says, and that its three forms say the same."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator, ValidationError

from memory_maintenance.config.load import load
from memory_maintenance.extraction.contract import BANDS, CONTRACT_VERSION, DURABILITIES
from memory_maintenance.extraction.prompt import PromptResult, prompt
from tests.support.command import Call

SUGGESTED = (
    *("decision", "identity", "mood", "obligation"),
    *("observation", "preference", "routine", "state"),
)
TEA: dict[str, Any] = {
    "entity": {"name": "Ana", "type": "person"},
    "key": "drink",
    "value": "tea",
    "durability": "long_term",
    "category": "preference",
    "importance": 5,
}
DECISION: dict[str, Any] = {
    "decided": "tea",
    "alternatives": [],
    "reasoning": None,
    "decided_by": "Ana",
    "decided_at": "2026-05-01T12:00:00Z",
}


@pytest.fixture(scope="module")
def contract() -> PromptResult:
    """The contract under the defaults."""
    return prompt(load(environ={}).settings)


def is_valid(contract: PromptResult, **members: Any) -> bool:
    """Whether an answer of one fact, TEA with members of its own, is what the schema wants."""
    fact = {name: value for name, value in {**TEA, **members}.items() if value is not ...}
    return Draft202012Validator(contract.schema).is_valid({"facts": [fact]})


def test_the_prompt_names_both_axes_with_an_example_of_each(contract: PromptResult) -> None:
    for name in [*(term.name for term in DURABILITIES), *SUGGESTED]:
        flat = " ".join(contract.prompt.split())
        assert re.search(rf'- {name}: [^"]+; such as "[^"]+"', flat), name


def test_the_prompt_has_the_bands_of_importance(contract: PromptResult) -> None:
    assert [band for band, _ in BANDS] == ["1-3", "4-6", "7-8", "9-10"]
    for band, meaning in BANDS:
        assert f"- {band}: {meaning}" in contract.prompt


def test_the_prompt_fits_a_terminal(contract: PromptResult) -> None:
    assert max(map(len, contract.prompt.split("\n"))) <= 80


def test_the_example_of_the_prompt_is_a_valid_answer(contract: PromptResult) -> None:
    example, schema = re.findall(r"^\{$.*?^\}$", contract.prompt, re.M | re.S)
    Draft202012Validator(contract.schema).validate(json.loads(example))
    assert json.loads(schema) == contract.schema


def test_every_form_says_its_version(contract: PromptResult) -> None:
    assert contract.version == CONTRACT_VERSION
    assert f"contract version {CONTRACT_VERSION}" in contract.prompt
    assert contract.schema["$id"].endswith(f":{CONTRACT_VERSION}")
    assert f"version {CONTRACT_VERSION}" in contract.tool["function"]["description"]


def test_categories_of_the_configuration_are_offered_in_order() -> None:
    loaded = load(environ={}, overrides={"category.health.half_life": "90d"})
    result = prompt(loaded.settings)
    assert result.categories == tuple(sorted([*SUGGESTED, "health"]))
    assert "\n- health\n" in result.prompt
    fact = result.schema["properties"]["facts"]["items"]
    assert fact["properties"]["category"]["examples"] == list(result.categories)


def test_the_schemas_are_schemas(contract: PromptResult) -> None:
    Draft202012Validator.check_schema(contract.schema)
    parameters = contract.tool["function"]["parameters"]
    Draft202012Validator.check_schema(parameters)
    assert contract.schema["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    own = ("$schema", "$id", "title")
    assert parameters == {k: v for k, v in contract.schema.items() if k not in own}


@pytest.mark.parametrize("member", list(TEA))
def test_each_member_of_every_fact_is_required(contract: PromptResult, member: str) -> None:
    assert is_valid(contract)
    assert not is_valid(contract, **{member: ...})


@pytest.mark.parametrize(
    ("members", "valid"),
    [
        ({"category": "hobby"}, True),
        ({"category": " hobby"}, False),
        ({"category": "obligation"}, False),
        ({"category": "obligation", "deadline": "2026-05-16T05:00:00Z"}, True),
        ({"category": "obligation", "deadline": "2026-05-16T05:00:00+02:00"}, True),
        ({"category": "obligation", "deadline": None}, True),
        ({"category": "obligation", "deadline": "2026-05-16"}, False),
        ({"category": "obligation", "deadline": "2026-05-16T05:00:00"}, False),
        ({"category": "decision"}, False),
        ({"category": "decision", "decision": DECISION}, True),
        ({"category": "decision", "decision": {"decided": "tea"}}, False),
        ({"category": "mood"}, False),
        ({"category": "mood", "durability": "permanent"}, False),
        ({"category": "mood", "durability": "short_term"}, True),
        ({"category": "mood", "durability": "ephemeral"}, True),
        ({"durability": "forever"}, False),
        ({"importance": 0}, False),
        ({"importance": 11}, False),
        ({"importance": 7.5}, False),
        ({"confidence": 0.5}, True),
        ({"confidence": 1.5}, False),
        ({"entity": {"name": "Ana"}}, False),
        ({"entity": "Ana"}, False),
        ({"key": ""}, False),
        ({"key": "k" * 256}, False),
        ({"value": " "}, False),
        ({"colour": "red"}, False),
    ],
)
def test_the_schema_takes_what_the_contract_says(
    contract: PromptResult, members: dict[str, Any], valid: bool
) -> None:
    assert is_valid(contract, **members) is valid


def test_an_answer_without_facts_is_valid(contract: PromptResult) -> None:
    validator = Draft202012Validator(contract.schema)
    validator.validate({"facts": []})
    with pytest.raises(ValidationError):
        validator.validate({})


def test_the_command_prints_each_form_bare(call: Call, contract: PromptResult) -> None:
    forms = {
        form: call("extraction", "prompt", "--format", form)
        for form in ("text", "json", "json-schema", "openai-tool")
    }
    assert [(done.returncode, done.stderr) for done in forms.values()] == [(0, "")] * 4
    assert forms["text"].stdout == contract.prompt + "\n"
    assert json.loads(forms["json-schema"].stdout) == contract.schema
    assert json.loads(forms["openai-tool"].stdout) == contract.tool
    document = json.loads(forms["json"].stdout)
    assert document["command"] == "extraction-prompt"
    assert document["schema"] == contract.schema
    assert call("extraction", "prompt").stdout == forms["text"].stdout
    assert call("extraction", "prompt", "-q").stdout == forms["text"].stdout


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (("prompt", "answer.json"), "prompt takes no answer: the file 'answer.json' is for ingest"),
        (("prompt", "--dry-run"), "prompt takes no answer: --dry-run is for ingest"),
        (("ingest", "--format", "openai-tool"), "--format openai-tool is for prompt"),
        (("ingest", "absent.json"), "the answer can't be read from absent.json: No such file"),
        (("ingest", "."), "the answer can't be read from .: Is a directory"),
        (("digest",), "'digest' is none of prompt, ingest"),
        (
            ("prompt", "--format", "sarif"),
            "'sarif' is none of text, json, openai-tool, json-schema",
        ),
    ],
)
def test_what_does_not_belong_together_is_refused(
    call: Call, arguments: tuple[str, ...], complaint: str
) -> None:
    done = call("extraction", *arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert complaint in done.stderr


def test_the_prompt_obeys_the_configuration_file(call: Call, tmp_path: Path) -> None:
    file = tmp_path / "own.yaml"
    file.write_text("category: {health: {half_life: 90d}}\n")
    done = call("extraction", "prompt", "--config", str(file))
    assert "\n- health\n" in done.stdout
