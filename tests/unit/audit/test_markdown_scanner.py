"""Documents: prose never blocks, code is read as what it is."""

from __future__ import annotations

import pytest

from memory_maintenance.audit.candidate import Candidate, Context, best_of
from memory_maintenance.audit.languages.markdown import scan
from memory_maintenance.audit.source import Source
from memory_maintenance.audit.subject import Subject, TableName

SUBJECT = Subject("data_type", (TableName("", "entity_facts"),))
QUERY = "SELECT data_type FROM entity_facts"


def candidates(text: str, path: str = "a.md") -> list[Candidate]:
    """One a place, in order. All of them are prose and stand at the word."""
    found = list(best_of(scan(Source(path, text), SUBJECT)))
    for candidate in found:
        assert candidate.context is Context.PROSE
        assert text[candidate.offset :].startswith("data_type") or candidate.whole_row
    return found


def confidences(text: str, path: str = "a.md") -> list[str]:
    """How sure it is of each place."""
    return [c.confidence.name.lower() for c in candidates(text, path)]


def test_words_and_inline_code_are_possible() -> None:
    assert confidences("data_type, `data_type` of entity_facts") == ["possible"] * 2


@pytest.mark.parametrize(
    "text",
    [
        f"```sql\n{QUERY}\n```\n",
        f"~~~ postgresql\n{QUERY}\n~~~",
        f"```sql\n{QUERY}",
        f"````md\n```sql\n{QUERY}\n```\n````\n",
        f"- a\n\n  ```sql\n  {QUERY}\n  ```\n",
        f"- a\n\n\t```sql\n\t{QUERY}\n\t```\n",
        f"> > ```sql\n> > {QUERY}\n",
        f"1. ~~~{{.sql}}\n   {QUERY}\n   ~~~\n",
        f"é😀\n\n    {QUERY}\n",
        f"```python\ndb.execute('{QUERY}')\n```\n",
        f'```sh\npsql -c "{QUERY}"\n```\n',
        f"```yaml\nq: {QUERY}\n```\n",
        f"```diff\n+{QUERY}\n```\n",
    ],
)
@pytest.mark.parametrize("line_end", ["\n", "\r\n", "\r"])
def test_code_in_a_fence_is_certain_where_it_stands(text: str, line_end: str) -> None:
    assert confidences(text.replace("\n", line_end)) == ["certain"]


def test_what_a_terminal_printed_is_no_code() -> None:
    text = f'```console\n$ psql -c "{QUERY}"\n data_type\n```\n'
    assert confidences(text) == ["certain", "possible"]


def test_code_about_another_table_is_unrelated() -> None:
    assert confidences("```sql\nSELECT data_type FROM sensors\n```\n") == ["unrelated"]


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("a.rst", f".. code-block:: sql\n   :linenos:\n\n   {QUERY}\n"),
        ("a.rst", f"So::\n\n  {QUERY}\n"),
        ("a.rst", f"* a\n\n  .. sourcecode:: postgresql\n\n     {QUERY}\n\n  b\n"),
        ("a.adoc", f"[source,sql]\n----\n{QUERY}\n----\n"),
        ("a.adoc", f"[,sql]\n.Title\n----\n{QUERY}"),
        ("a.adoc", f"```sql\n{QUERY}\n```\n"),
    ],
)
def test_code_in_other_forms_of_documents_is_certain(path: str, text: str) -> None:
    assert confidences(text, path) == ["certain"]


def test_after_a_block_of_code_there_is_prose_again() -> None:
    text = ".. code:: sql\n\n   SELECT 1\n\nSELECT data_type FROM entity_facts\n"
    assert confidences(text, "a.rst") == ["possible"]


@pytest.mark.parametrize(
    "text",
    [
        "",
        ">" * 20_000 + " data_type",
        "`" * 20_000 + "\ndata_type",
        "".join("`" * (60 - n) + "md\n" for n in range(50)) + "data_type",
        "\x00```sql\ndata_type\ud800",
        "[source,sql]\n----",
        ".. code::",
        "```sql\n(" * 500 + "data_type",
    ],
)
@pytest.mark.parametrize("path", ["a.md", "a.rst", "a.adoc", "a.mdx"])
def test_malformed_documents_do_no_harm(text: str, path: str) -> None:
    list(scan(Source(path, text), SUBJECT))
