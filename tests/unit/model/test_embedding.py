"""An embedding as it is given."""

from __future__ import annotations

import pytest

from memory_maintenance.errors import UsageError
from memory_maintenance.model.embedding import parse_embedding


def test_numbers_of_all_kinds_are_read() -> None:
    assert parse_embedding(" [1, -0.5,\n2e-3] ") == "[1.0,-0.5,0.002]"


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("", "no JSON"),
        ("0.1, 0.2", "no JSON"),
        ("[1, 2", "no JSON"),
        ("{}", "no array"),
        ("1", "no array"),
        ("null", "no array"),
        ("[]", "empty array"),
        ("[0, 0.0, -0.0]", "no direction"),
        ("[1, NaN]", "NaN"),
        ("[1, Infinity]", "Infinity"),
        ("[1, -Infinity]", "-Infinity"),
        ("[1, 1e400]", "element 2 of the embedding is too large"),
        ("[1, 1e39]", "element 2 of the embedding is too large"),
        ("[1" + "0" * 400 + "]", "element 1 of the embedding is too large"),
        ('[1, "2"]', "element 2 of the embedding is no number"),
        ("[1, null]", "element 2 of the embedding is no number"),
        ("[1, true]", "element 2 of the embedding is no number"),
        ("[[1]]", "element 1 of the embedding is no number"),
        ("[" * 100_000, "can't be read"),
        ("[" + "1," * 20_000 + "1]", "20,001"),
    ],
)
def test_what_is_no_embedding_is_told(text: str, complaint: str) -> None:
    with pytest.raises(UsageError, match=complaint):
        parse_embedding(text)
