"""One JSON document, whatever the result holds."""

from __future__ import annotations

import json

import pytest

from memory_maintenance.render.formats import FORMATS, Page, renderer
from memory_maintenance.render.json import render_json
from tests.unit.render.shown import Shown


@pytest.mark.parametrize("value", ["naïve 中", "\ud800", "\x00\x1b", None, 0.1, [1, {"a": []}]])
def test_the_document_is_ascii_and_comes_back_as_it_was(value: object) -> None:
    text = render_json(Shown(value=value))
    assert text.isascii()
    assert text.endswith("}\n")
    assert json.loads(text) == {"value": value}


def test_what_json_lacks_is_refused_and_not_written_as_nan() -> None:
    with pytest.raises(ValueError, match="not JSON compliant"):
        render_json(Shown(value=float("nan")))


def test_the_page_makes_no_difference() -> None:
    result = Shown(value=1)
    assert renderer("json")(result, Page(width=20, quiet=True)) == render_json(result)


@pytest.mark.parametrize("name", FORMATS)
def test_every_format_in_the_table_renders(name: str) -> None:
    assert isinstance(renderer(name)(Shown(value=1), Page()), str)


def test_an_unknown_format_is_a_key_error() -> None:
    with pytest.raises(KeyError):
        renderer("xml")
