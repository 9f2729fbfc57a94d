"""``recall``: what a memory holds that is near to a query."""

from __future__ import annotations

import sys
from typing import Annotated, Final

import typer

from memory_maintenance.cli.options import AsOf, SharedOptions
from memory_maintenance.errors import UsageError
from memory_maintenance.model.result import Result

_STDIN: Final = "-"
# The longest vectors of pgvector, with room to spare.
_LONGEST: Final = 4_000_000


def recall(
    shared: SharedOptions,
    *,
    embedding: Annotated[
        str | None,
        typer.Argument(
            metavar="QUERY_EMBEDDING|-",
            help="The query's embedding, a JSON array of numbers; - to read it from stdin.",
            show_default=False,
        ),
    ] = None,
    text: Annotated[
        str | None,
        typer.Option(
            "--text",
            metavar="TEXT",
            help="A text to compare with, where there is no embedding.",
            show_default=False,
        ),
    ] = None,
    k: Annotated[
        int, typer.Option("-k", metavar="N", min=1, max=1000, help="How many results at most.")
    ] = 10,
    category: Annotated[
        list[str] | None,
        typer.Option(
            "--category",
            metavar="NAME",
            help="Only of this category; may be repeated.",
            show_default=False,
        ),
    ] = None,
    durability: Annotated[
        list[str] | None,
        typer.Option(
            "--durability",
            metavar="NAME",
            help="Only of this durability; may be repeated.",
            show_default=False,
        ),
    ] = None,
    viewer: Annotated[
        str | None,
        typer.Option(
            "--viewer",
            metavar="ENTITY_ID",
            help="Who will be told: what their privacy_scope lets them see too.",
            show_default=False,
        ),
    ] = None,
    visibility: Annotated[
        list[str] | None,
        typer.Option(
            "--visibility",
            metavar="NAME",
            help="Facts of this visibility too, such as trusted or private; may be repeated.",
            show_default=False,
        ),
    ] = None,
    min_similarity: Annotated[
        float | None,
        typer.Option(
            "--min-similarity",
            metavar="0-1",
            help="Leave out what is less similar (default: as configured).",
            show_default=False,
        ),
    ] = None,
    no_record: Annotated[
        bool, typer.Option("--no-record", help="Don't record that the facts were retrieved.")
    ] = False,
    explain: Annotated[
        bool, typer.Option("--explain", help="Say how each score came about.")
    ] = False,
    as_of: AsOf = None,
) -> Result:
    """Find the facts that are near to a query, best first.

    \b
    recall '[0.12, -0.3, ...]'      by embedding (memory_embeddings, pgvector)
    recall - < embedding.json
    recall --text 'favorite color'  by trigrams or words

    Ranked by similarity and by importance as it stands at that moment. Public facts only, unless a viewer or
    a visibility is named. Records that the facts were retrieved.
    """
    query = _query(embedding, text)
    if min_similarity is not None and not 0 <= min_similarity <= 1:
        raise UsageError(f"--min-similarity {min_similarity:g}: the range is 0 to 1")
    _check_durabilities(durability or [])
    from memory_maintenance.cli.opening import opened

    with opened(shared, "recall") as o:
        from memory_maintenance.jobs.recall import RecallOptions
        from memory_maintenance.jobs.recall import recall as job

        options = RecallOptions(
            embedding=query,
            text=text,
            k=k,
            viewer=viewer,
            visibility=visibility or [],
            categories=category or [],
            durabilities=durability or [],
            min_similarity=min_similarity,
            record=not no_record,
            explain=explain,
        )
        return job(o.session, o.loaded, options, as_of=as_of or o.session.clock())


def _query(embedding: str | None, text: str | None) -> str | None:
    """The embedding as PostgreSQL reads it. Raises UsageError for what can't be searched for."""
    from memory_maintenance.model.embedding import parse_embedding
    from memory_maintenance.model.storable import is_storable

    if (embedding is None) == (text is None):
        raise UsageError(
            "recall takes an embedding or --text, one of the two",
            remedy="recall '[0.1, ...]', recall - for stdin, or recall --text 'favorite color'",
        )
    if text is not None:
        if not text.strip():
            raise UsageError("--text is blank")
        if not is_storable(text):
            raise UsageError("--text holds a character that PostgreSQL can't store")
        return None
    assert embedding is not None
    if embedding != _STDIN:
        return parse_embedding(embedding)
    if sys.stdin is None:
        raise UsageError("there is no stdin to read the embedding from")
    read = sys.stdin.buffer.read(_LONGEST + 1)
    if len(read) > _LONGEST:
        raise UsageError("what stdin gives is too long for an embedding")
    return parse_embedding(read.decode("utf-8", errors="replace"))


def _check_durabilities(names: list[str]) -> None:
    from typing import get_args

    from memory_maintenance.config.models import DurabilityName

    known = get_args(DurabilityName)
    for name in names:
        if name not in known:
            raise UsageError(f"--durability {name}: it is one of {', '.join(known)}")
