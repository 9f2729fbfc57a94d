"""The report's page in a real browser: it shows what it should, asks for nothing, and obeys no fact."""

from __future__ import annotations

import dataclasses
import stat
from pathlib import Path

import pytest

from memory_maintenance.model.result import Column, Table
from memory_maintenance.render.formats import Page
from memory_maintenance.render.html import render
from tests.support.browser import Browser
from tests.support.command import Call
from tests.support.report_sample import ARABIC, HOSTILE, sample
from tests.support.server import TestDatabase


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("page") / "report.html"
    path.write_text(render(sample(), Page()), encoding="utf-8")
    return path


def test_the_page_is_drawn_without_a_word_from_the_console(browser: Browser, page: Path) -> None:
    browser.open(page)
    assert browser.messages == []
    assert browser.requests() == [page.as_uri()]
    assert browser.value("document.compatMode") == "CSS1Compat"
    assert browser.value("document.querySelectorAll('svg[role=img]').length") == 51
    # Drawn, not only there: the longest bar fills its cell, the curve is as wide as its figure.
    assert browser.value("document.querySelector('.bar rect').getBoundingClientRect().width") > 200
    assert browser.value("document.querySelector('.curve').getBoundingClientRect().width") > 500
    assert browser.value("document.querySelector('.line').getBoundingClientRect().height") > 100
    assert browser.value("getComputedStyle(document.querySelector('.bar rect')).fill") == (
        "rgb(11, 107, 114)"
    )


def test_facts_stay_text(browser: Browser, page: Path) -> None:
    browser.open(page)
    assert browser.value("document.title").startswith("report of public.entity_facts")
    assert browser.value("document.scripts.length") == 0
    assert (
        browser.value("document.querySelectorAll('img, iframe, [onerror], [onload]').length") == 0
    )
    assert browser.value("[...document.links].every(a => a.hash && !a.hash.includes('javascript'))")
    shown = browser.value("[...document.querySelectorAll('td.text')].map(cell => cell.textContent)")
    for fact in (*HOSTILE[:7], ARABIC):
        assert fact in shown


def test_what_gets_through_would_still_not_run(browser: Browser, page: Path) -> None:
    """The policy, tried with markup that no fact can bring in."""
    broken = page.with_name("broken.html")
    attack = (
        "<script>document.title = 'owned'</script><img src=x onerror=\"document.title='owned'\">"
    )
    text = page.read_text(encoding="utf-8")
    broken.write_text(text.replace("</header>", f"{attack}</header>"), encoding="utf-8")
    browser.open(broken)
    assert browser.value("document.title").startswith("report of")
    assert any("Content Security Policy" in message for message in browser.messages)


@pytest.mark.parametrize("width", [360, 390, 768, 1280])
def test_the_page_itself_never_scrolls_sideways(browser: Browser, page: Path, width: int) -> None:
    browser.open(page, width=width, height=740)
    browser.value("document.querySelectorAll('details').forEach(d => d.open = true)")
    assert browser.value("document.documentElement.scrollWidth") == width
    # What is wider scrolls within its own frame; nothing else sticks out.
    outside = browser.value(
        "[...document.querySelectorAll('main *')].filter(e => !e.closest('.scroll, pre')"
        " && e.getBoundingClientRect().right > innerWidth + 0.5).map(e => e.outerHTML)"
    )
    assert outside == []
    assert browser.value("getComputedStyle(document.querySelector('.scroll')).overflowX") == "auto"
    sizes = browser.value(
        "[...document.querySelectorAll('td, th, dd, dt, p, li, text')]"
        ".map(e => parseFloat(getComputedStyle(e).fontSize))"
    )
    assert min(sizes) >= 12


def test_a_tables_name_is_as_wide_as_the_page_however_wide_the_table(
    browser: Browser, tmp_path: Path
) -> None:
    title = "The last hundred of each command; since: failed since the last success"
    wide = Table(tuple(Column(f"a column {n}") for n in range(9)), (("short enough",) * 9,), title)
    narrow = Table((Column("n"),), (("1",),), "The largest groups")
    path = tmp_path / "tables.html"
    path.write_text(
        render(dataclasses.replace(sample(), shown=(wide, narrow)), Page()), encoding="utf-8"
    )
    browser.open(path, width=360, height=740)
    edges = (
        "(n => { const e = document.querySelectorAll('caption')[n].getBoundingClientRect();"
        " return [e.left, e.right, e.height] })"
    )
    left, right, height = browser.value(f"{edges}(0)")
    assert (left, right) == (16, 344)
    assert height > 40, "two lines"
    # It stays in sight while the table scrolls below it.
    browser.value("document.querySelector('.scroll').scrollLeft = 200")
    assert browser.value(f"{edges}(0)")[0] == 16
    # No cell of two words is broken where the table has to scroll anyway.
    assert browser.value("document.querySelector('tbody tr').getBoundingClientRect().height") < 35
    assert browser.value(f"{edges}(1)")[2] < 35, "one line, though the table has one digit"


def test_colours_follow_the_reader(browser: Browser, page: Path) -> None:
    background = "getComputedStyle(document.body).backgroundColor"
    bar = "getComputedStyle(document.querySelector('.bar rect')).fill"
    browser.open(page, dark=True)
    assert browser.value(background) == "rgb(20, 24, 27)"
    assert browser.value(bar) == "rgb(99, 195, 192)"
    browser.open(page, dark=False)
    assert browser.value(background) == "rgb(253, 253, 251)"


def test_reader_software_hears_names_and_headers(browser: Browser, page: Path) -> None:
    browser.open(page)
    browser.send("Accessibility.enable")
    nodes = browser.send("Accessibility.getFullAXTree")["nodes"]
    browser.send("Accessibility.disable")

    def named(role: str) -> list[str]:
        return [
            node["name"]["value"]
            for node in nodes
            if node.get("role", {}).get("value") == role and not node["ignored"]
        ]

    assert len(named("main")) == len(named("navigation")) == 1
    assert named("heading")[:2] == ["public.entity_facts", "Facts by durability and category"]
    assert "Confidence of fact 31" in named("image")
    curve = next(n for n in nodes if n.get("name", {}).get("value") == "Confidence of fact 31")
    assert curve["description"]["value"].startswith("From 0.9 at 2026-05-20 to 0.0461")
    assert all(named("image"))
    assert all(named("region"))
    assert "durability" in named("columnheader")
    assert "0.0 to 0.1" in named("rowheader")


def test_on_paper_it_is_dark_on_light_and_whole(browser: Browser, page: Path) -> None:
    browser.open(page, dark=True)
    browser.send("Emulation.setEmulatedMedia", media="print")
    try:
        assert browser.value("getComputedStyle(document.querySelector('nav')).display") == "none"
        assert browser.value("getComputedStyle(document.querySelector('.scroll')).overflowX") == (
            "visible"
        )
        assert browser.value("getComputedStyle(document.body).color") == "rgb(29, 35, 41)"
    finally:
        browser.send("Emulation.setEmulatedMedia", media="")


def test_an_operator_has_the_report_written_and_opens_it(
    browser: Browser, call: Call, migrated: TestDatabase, tmp_path: Path
) -> None:
    script = "<script>alert(1)</script>"
    with migrated.connect() as connection:
        for category in (script, ARABIC, "x" * 10_000):
            connection.execute(
                "INSERT INTO entity_facts (key, value, durability, category)"
                " VALUES ('k', 'v', 'long_term', %s)",
                [category],
            )
    path = tmp_path / "report.html"
    done = call("report", "--dsn", migrated.dsn, "--format", "html", "--output", str(path))
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    browser.open(path, width=360)
    assert browser.messages == []
    assert browser.value("document.scripts.length") == 0
    assert browser.value("document.documentElement.scrollWidth") == 360
    shown = browser.value("document.body.textContent")
    assert all(text in shown for text in (script, ARABIC, "x" * 20))
    assert "x" * 1_000 not in shown


def test_the_report_comes_in_each_of_its_formats(call: Call, migrated: TestDatabase) -> None:
    at = ("report", "--dsn", migrated.dsn, "--as-of", "2026-06-01T00:00:00Z")
    for name, begins in (
        ("text", ""),
        ("json", "{\n"),
        ("markdown", "# report of"),
        ("html", "<!"),
    ):
        done = call(*at, "--format", name)
        assert (done.returncode, done.stderr) == (0, "")
        assert done.stdout.startswith(begins)
    assert call(*at, "--format", "sarif").returncode == 2
