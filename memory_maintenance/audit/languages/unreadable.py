"""What a scanner raises for a file that isn't of its language after all, or not all of it."""

from __future__ import annotations

from collections.abc import Iterable

from memory_maintenance.audit.subject import Subject


class Unreadable(Exception):  # noqa: N818 - says what happened to the file, as the errors of the operator do
    """A file that its language's parser refuses; the message is the reason, without the file's name.

    The audit goes on: what the scanner yielded before is kept, the file is listed as skipped, and the bare
    words in its places are near. places: ranges in characters of the text, begin and end, that could not be
    read; none stands for all of it.
    """

    def __init__(self, reason: str, places: Iterable[tuple[int, int]] = ()) -> None:
        super().__init__(reason)
        self.places = tuple(places)


def refuse_parts(
    text: str, places: Iterable[tuple[int, int]], subject: Subject, language: str
) -> None:
    """Raises Unreadable where a part that could not be read names the column or a table.

    places: the parts, begin and end in characters. language: what they are not.
    """
    concerned = [
        (begin, end)
        for begin, end in places
        if subject.column_word.search(text, begin, end)
        or subject.table_word.search(text, begin, end)
    ]
    if concerned:
        line = text.count("\n", 0, concerned[0][0]) + 1
        raise Unreadable(f"not {language} from line {line} on: read around it", concerned)
