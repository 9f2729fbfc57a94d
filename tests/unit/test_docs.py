"""What is written about the tool is true of it: commands, keys, codes and links."""

from __future__ import annotations

import dataclasses
import re
from importlib import import_module
from pathlib import Path

import pytest

from memory_maintenance.cli.main import COMMANDS, EXIT_CODES
from memory_maintenance.jobs import STEPS
from memory_maintenance.jobs.report import SECTIONS
from memory_maintenance.model.result import Result

ROOT = Path(__file__).parents[2]
COMMANDS_PAGE = (ROOT / "docs" / "commands.md").read_text()
README = (ROOT / "README.md").read_text()

RESULTS = {
    "run": ["memory_maintenance.jobs.upkeep:RunResult"],
    "migrate-types": [
        "memory_maintenance.migration.result:MigrateResult",
        "memory_maintenance.migration.contract_result:ContractResult",
        "memory_maintenance.migration.rollback_result:RollbackResult",
        "memory_maintenance.migration.status:StatusResult",
        "memory_maintenance.migration.script:ScriptResult",
    ],
    "decay": ["memory_maintenance.jobs.decay:DecayResult"],
    "expire-obligations": ["memory_maintenance.jobs.obligations:ExpireResult"],
    "obligations": [
        "memory_maintenance.jobs.obligation_commands:ListResult",
        "memory_maintenance.jobs.obligation_commands:ChangeResult",
    ],
    "decisions": [
        "memory_maintenance.jobs.decisions:DecisionsResult",
        "memory_maintenance.jobs.decisions:ShowResult",
        "memory_maintenance.jobs.decision_changes:RecordResult",
        "memory_maintenance.jobs.decision_changes:ReopenResult",
    ],
    "importance": ["memory_maintenance.extraction.scoring_result:ScoreResult"],
    "extraction": [
        "memory_maintenance.extraction.prompt:PromptResult",
        "memory_maintenance.extraction.ingest_result:IngestResult",
    ],
    "recall": ["memory_maintenance.jobs.recall:RecallResult"],
    "touch": ["memory_maintenance.jobs.access:TouchResult"],
    "pin": ["memory_maintenance.jobs.access:PinResult"],
    "unpin": ["memory_maintenance.jobs.access:PinResult"],
    "context": ["memory_maintenance.jobs.context:ContextResult"],
    "explain": ["memory_maintenance.jobs.explain_result:ExplainResult"],
    "report": ["memory_maintenance.jobs.report.report:ReportResult"],
    "check-config": ["memory_maintenance.jobs.check_config:CheckConfigResult"],
    "audit-data-type-refs": ["memory_maintenance.audit.result:AuditResult"],
    "demo": ["memory_maintenance.jobs.demo:DemoResult"],
}


def chapter(command: str) -> str:
    """What docs/commands.md says of a command."""
    found = re.search(rf"^## {re.escape(command)}\n(.*?)(?=^## |\Z)", COMMANDS_PAGE, re.M | re.S)
    assert found, f"docs/commands.md has no chapter on {command}"
    return found[1]


@pytest.mark.parametrize("command", [c.name for c in COMMANDS])
def test_each_command_is_in_the_readme_and_has_a_chapter(command: str) -> None:
    assert f"| `{command}` |" in README
    assert f"memory-maintenance {command}" in chapter(command)


@pytest.mark.parametrize(
    ("command", "path"), [(command, path) for command, paths in RESULTS.items() for path in paths]
)
def test_each_key_of_a_result_is_documented(command: str, path: str) -> None:
    module, _, name = path.partition(":")
    result = getattr(import_module(module), name)
    shared = {field.name for field in dataclasses.fields(Result)}
    for key in shared:
        assert f"`{key}`" in COMMANDS_PAGE
    for field in dataclasses.fields(result):
        if field.name not in shared and field.metadata.get("json", True):
            assert f"`{field.name}`" in chapter(command)


def test_no_result_is_documented_that_does_not_exist() -> None:
    assert set(RESULTS) == {command.name for command in COMMANDS}


@pytest.mark.parametrize("table", [STEPS, SECTIONS], ids=["steps", "sections"])
def test_each_entry_of_a_table_leads_to_a_function(table: dict[str, str]) -> None:
    for path in table.values():
        module, _, function = path.partition(":")
        assert callable(getattr(import_module(module), function))


def test_each_module_of_the_report_is_in_its_table() -> None:
    folder = ROOT / "memory_maintenance" / "jobs" / "report"
    modules = {path.stem for path in folder.glob("*.py")} - {"__init__", "report", "scope"}
    assert modules == {path.partition(":")[0].rpartition(".")[2] for path in SECTIONS.values()}


def test_the_readme_names_every_exit_code() -> None:
    for code in EXIT_CODES:
        assert re.search(rf"^\|[^|]*\b{code}\b", README, re.M), code


def test_links_between_the_documents_lead_somewhere() -> None:
    for page in [ROOT / "README.md", *(ROOT / "docs").rglob("*.md")]:
        for link in re.findall(r"\]\(([^)#]+)\)", page.read_text()):
            if "://" not in link:
                assert (page.parent / link).exists(), f"{page.name} links to {link}"
