"""What a scanner raises for a file that isn't of its language after all, or not all of it."""

from __future__ import annotations

from collections.abc import Iterable


class Unreadable(Exception):  # noqa: N818 - says what happened to the file, as the errors of the operator do
    """A file that its language's parser refuses; the message is the reason, without the file's name.

    The audit goes on: what the scanner yielded before is kept, the file is listed as skipped, and the bare
    words in its places are near. places: ranges in characters of the text, begin and end, that could not be
    read; none stands for all of it.
    """

    def __init__(self, reason: str, places: Iterable[tuple[int, int]] = ()) -> None:
        super().__init__(reason)
        self.places = tuple(places)
