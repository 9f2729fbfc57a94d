"""What recall costs beside the bare nearest-neighbour query for as many rows, over embeddings with HNSW.

The questions of recall_set are asked of a large memory: facts of the demo, embeddings around the set's real
ones. For each question in turn: the bare query, recall without and with the record of accesses, in an order
that changes; each prepared and in autocommit, as a client would. The ratio is the median of the questions'
own ratios, so that what else the machine does disturbs both sides. Beside the time that the client waits
there is the processor time of the server's process, which other work disturbs less.
"""

from __future__ import annotations

import statistics
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import psycopg
from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table

from benchmarks import recall_set
from benchmarks.measuring import Server, serving
from benchmarks.recall_set import database

_K: Final = 10
_MOST_ROWS: Final = 100_000
_WARMING: Final = 10
_BARE: Final = (
    f"SELECT source_id FROM memory_embeddings ORDER BY embedding <=> %s::vector LIMIT {_K}"
)
_RECALL: Final = (
    f"SELECT * FROM memory_maintenance.recall(query_embedding => %s, k => {_K}, record => {{}})"
)
_QUERIES: Final[Mapping[str, str]] = {
    "nearest neighbours alone": _BARE,
    "recall": _RECALL.format("false"),
    "recall, accesses recorded": _RECALL.format("true"),
}


@dataclass(slots=True)
class _Costs:
    """Of one query, call by call: milliseconds that the client waited, and that the server computed."""

    waited: list[float] = field(default_factory=list)
    computed: list[float] = field(default_factory=list)


def run(*, rows: int, repeat: int) -> None:
    """Prints the tables. rows: facts, 100,000 at most; repeat: how often each question is asked."""
    rows = min(rows, _MOST_ROWS)
    console = Console(width=140, highlight=False)
    questions = [q.text for q in recall_set.questions() if q.answers]
    asked = [database.literal(vector) for vector in recall_set.vectors(questions)]
    with tempfile.TemporaryDirectory(prefix="mm-bench-") as folder, serving(Path(folder)) as server:
        database.migrated(server, "legacy", rows=rows)
        with server.connect("legacy") as connection:
            of_facts = recall_set.vectors([fact.text for fact in recall_set.facts()])
            database.embed_all(connection, of_facts)
        database.publish(server, "legacy")
        console.print(
            f"PostgreSQL {server.version}, {rows:,} facts, {len(asked)} questions, {repeat} rounds"
        )
        console.print(_measured(server, asked, repeat))
        console.print(_found(server, asked))


def _measured(server: Server, asked: Sequence[str], repeat: int) -> Table:
    costs = {name: _Costs() for name in _QUERIES}
    with server.connect("legacy") as connection:
        for statement in _QUERIES.values():
            for query in asked[:_WARMING]:
                connection.execute(statement.encode(), [query], prepare=True).fetchall()
        order = list(_QUERIES)
        for query in [query for _ in range(repeat) for query in asked]:
            order = order[1:] + order[:1]
            for name in order:
                _ask(connection, _QUERIES[name], query, costs[name])
    table = Table(f"k = {_K}", box=SIMPLE_HEAD, pad_edge=False, collapse_padding=True)
    for name in (
        "ms",
        "middle half",
        "ratio",
        "middle half",
        "server CPU, ms",
        "ratio",
        "middle half",
    ):
        table.add_column(name, justify="right")
    bare = costs["nearest neighbours alone"]
    for name, cost in costs.items():
        table.add_row(
            name,
            *_middle(cost.waited),
            *_middle(_ratios(cost.waited, bare.waited)),
            _middle(cost.computed)[0],
            *_middle(_ratios(cost.computed, bare.computed)),
        )
    return table


def _ask(connection: psycopg.Connection[Any], statement: str, query: str, costs: _Costs) -> None:
    computed, began = _processor_ms(connection), time.perf_counter()
    connection.execute(statement.encode(), [query], prepare=True).fetchall()
    costs.waited.append((time.perf_counter() - began) * 1000)
    costs.computed.append(_processor_ms(connection) - computed)


def _found(server: Server, asked: Sequence[str]) -> str:
    """How much of the exact answer the index finds, for the bare query and for recall."""
    bare, ranked = [], []
    with server.connect("legacy") as by_index, server.connect("legacy") as exactly:
        exactly.execute("SET enable_indexscan = off")
        for query in asked:
            bare.append(_shared(by_index, exactly, _QUERIES["nearest neighbours alone"], query))
            ranked.append(_shared(by_index, exactly, _QUERIES["recall"], query))
    return (
        f"of the {_K} nearest by reading every row HNSW finds {100 * statistics.fmean(bare):.1f} %;"
        f" of recall's results so, recall by the index gives {100 * statistics.fmean(ranked):.1f} %"
    )


def _shared(
    by_index: psycopg.Connection[Any], exactly: psycopg.Connection[Any], statement: str, query: str
) -> float:
    found, right = (
        {row[0] for row in connection.execute(statement.encode(), [query]).fetchall()}
        for connection in (by_index, exactly)
    )
    return len(found & right) / len(right)


def _processor_ms(connection: psycopg.Connection[Any]) -> float:
    """What the server's process has had of the processor, by Linux's account."""
    account = Path(f"/proc/{connection.info.backend_pid}/schedstat").read_text()
    return float(account.split()[0]) / 1e6


def _ratios(ours: Sequence[float], theirs: Sequence[float]) -> list[float]:
    return [one / other for one, other in zip(ours, theirs, strict=True)]


def _middle(values: Sequence[float]) -> tuple[str, str]:
    """The median, and the middle half."""
    low, middle, high = statistics.quantiles(values, n=4)
    return f"{middle:.2f}", f"{low:.2f}-{high:.2f}"
