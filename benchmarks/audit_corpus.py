"""How much of the labelled corpus the audit tells rightly, language by language, beside what grep tells.

Recall: of the occurrences that are certainly or likely about the column, how many are told as such.
Precision: of those told as such, how many are. ``grep -nw data_type`` knows lines only, and takes each for a
reference.
"""

from __future__ import annotations

from itertools import groupby

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table

from tests.support.corpus import Case, Score, cases


def run(*, rows: int, repeat: int) -> None:  # noqa: ARG001 - the corpus is what it is
    """Prints the table."""
    table = Table("\nlanguage", box=SIMPLE_HEAD, pad_edge=False, collapse_padding=True)
    for name in (
        *("\ncases", "\nnames", "about\nit", "audit:\nrecall", "\nprecision"),
        *("grep:\nlines", "\nrecall", "\nprecision"),
    ):
        table.add_column(name, justify="right")
    everything = cases()
    for language, of_one in groupby(everything, key=lambda case: case.language):
        table.add_row(language, *_cells(list(of_one)))
    table.add_section()
    table.add_row("all", *_cells(everything))
    console = Console(width=80, highlight=False)
    console.print("recall and precision in per cent; grep knows lines, not places", table)


def _cells(tried: list[Case]) -> list[str]:
    score = Score()
    for case in tried:
        score.add(case)
    numbers = [score.tried, score.occurrences, score.positive]
    shares = [score.recall, score.precision]
    grep = [score.grep_recall, score.grep_precision]
    return [
        *map(str, numbers),
        *(f"{100 * share:.1f}" for share in shares),
        str(score.grep_told),
        *(f"{100 * share:.1f}" for share in grep),
    ]
