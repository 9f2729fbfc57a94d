"""The facts, the questions and the vectors that recall is judged by; README.md says how they were chosen."""

from __future__ import annotations

import base64
import hashlib
import struct
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

FOLDER: Final = Path(__file__).parent
VECTORS: Final = FOLDER / "vectors.txt"
DIMENSIONS: Final = 384

Vector = tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Fact:
    """A fact as an agent holds it.

    updated, accessed: days ago; accessed is None where nobody ever did. due: days from now, for obligations.
    """

    id: int
    about: str
    key: str
    value: str
    durability: str
    category: str
    importance: int
    updated: float
    accessed: float | None
    due: float | None

    @property
    def text(self) -> str:
        """What is embedded: whom it is about, the key in words, the value."""
        return f"{self.about} {self.key.replace('_', ' ')}: {self.value}"

    def aged(self, days: float) -> Fact:
        """The same fact days later; deadlines come nearer."""
        return replace(
            self,
            updated=self.updated + days,
            accessed=None if self.accessed is None else self.accessed + days,
            due=None if self.due is None else self.due - days,
        )


@dataclass(frozen=True, slots=True)
class Question:
    """A question and its right answers.

    kind: what makes it hard. grades: by the fact's id; 3 the answer, 2 also needed, 1 helps.
    """

    kind: str
    text: str
    grades: Mapping[int, int]

    @property
    def answers(self) -> frozenset[int]:
        """The facts that answer it."""
        return frozenset(fact for fact, grade in self.grades.items() if grade == 3)


def facts() -> list[Fact]:
    """All of them, in the file's order."""
    return [_fact(cells) for cells in _rows("facts.txt", 10)]


def questions() -> list[Question]:
    """All of them, in the file's order."""
    return [
        Question(kind, text, {int(i): int(g) for i, g in map(_pair, grades.split())})
        for kind, text, grades in _rows("questions.txt", 3)
    ]


def vectors(texts: Sequence[str], path: Path = VECTORS) -> list[Vector]:
    """The stored vector of each text, of length 1.

    Raises LookupError where a text has none: it was changed since.
    """
    stored = _stored(path)
    missing = [text for text in texts if digest(text) not in stored]
    if missing:
        raise LookupError(
            f"no vector for {len(missing)} texts: run python -m benchmarks.recall_embeddings"
        )
    return [_unpacked(stored[digest(text)]) for text in texts]


def store(texts: Sequence[str], computed: Sequence[Sequence[float]], path: Path = VECTORS) -> None:
    """Writes a line for each text: its digest, and its vector as half-precision numbers in base64."""
    lines = [
        f"{digest(text)} {_packed(vector)}" for text, vector in zip(texts, computed, strict=True)
    ]
    path.write_text("\n".join([*sorted(lines), ""]))


def digest(text: str) -> str:
    """What a text's vector is kept under: its SHA-256."""
    return hashlib.sha256(text.encode()).hexdigest()


def similarity(one: Vector, other: Vector) -> float:
    """The cosine of two vectors of length 1."""
    return sum(a * b for a, b in zip(one, other, strict=True))


def _rows(name: str, width: int) -> Iterator[list[str]]:
    for line in (FOLDER / name).read_text().splitlines():
        if line and not line.startswith("#"):
            cells = [cell.strip() for cell in line.split("|")]
            if len(cells) != width:
                raise ValueError(f"{name}: {len(cells)} cells, not {width}: {line}")
            yield cells


def _fact(cells: Sequence[str]) -> Fact:
    id_, about, key, value, durability, category, importance, updated, accessed, due = cells
    return Fact(
        id=int(id_),
        about=about,
        key=key,
        value=value,
        durability=durability,
        category=category,
        importance=int(importance),
        updated=float(updated),
        accessed=None if accessed == "-" else float(accessed),
        due=float(due) if due else None,
    )


def _pair(grade: str) -> tuple[str, str]:
    fact, _, value = grade.partition(":")
    return fact, value


def _stored(path: Path) -> dict[str, str]:
    return dict(line.split() for line in path.read_text().splitlines())


def _packed(vector: Sequence[float]) -> str:
    return base64.b64encode(struct.pack(f"<{len(vector)}e", *vector)).decode()


def _unpacked(packed: str) -> Vector:
    """Scaled to length 1 again, which rounding to half precision has changed by some 1e-5."""
    raw = base64.b64decode(packed, validate=True)
    vector = struct.unpack(f"<{DIMENSIONS}e", raw)
    length = sum(x * x for x in vector) ** 0.5
    return tuple(x / length for x in vector)
