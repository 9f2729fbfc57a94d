"""Text put together from pieces of a file, where each character still knows its place in the file."""

from __future__ import annotations

from bisect import bisect_right


class Spliced:
    """A text made of pieces: literal ones, and holes that stand for what is known at run time only.

    ``text`` is what a parser reads. A hole is an identifier in it, as long as what it stands for where that
    can be, so that positions hold; ``holes`` gives what is known of it: the value, or None.
    """

    def __init__(self) -> None:
        self._pieces: list[str] = []
        self._length = 0
        self._starts: list[int] = []
        self._offsets: list[int] = []
        self._fixed: list[bool] = []
        self.holes: dict[str, str | None] = {}

    @property
    def text(self) -> str:
        """All pieces, one after the other."""
        return "".join(self._pieces)

    def __len__(self) -> int:
        return self._length

    def literal(self, text: str, offset: int, *, fixed: bool = False) -> None:
        """Appends text that stands in the file at that offset, character by character.

        fixed: all of it stands for that one place, as an escape does.
        """
        if not text:
            return
        self._starts.append(self._length)
        self._offsets.append(offset)
        self._fixed.append(fixed)
        self._pieces.append(text)
        self._length += len(text)

    def join(self, other: Spliced) -> None:
        """Appends the pieces of another text."""
        for piece, offset, fixed in zip(other._pieces, other._offsets, other._fixed, strict=True):
            self.literal(piece, offset, fixed=fixed)
        self.holes.update(other.holes)

    def hole(self, offset: int, length: int = 2, value: str | None = None) -> None:
        """Appends an identifier for something that stands at that offset and has that many characters there.

        value: what it stands for, where that is known.
        """
        name = self._hole_name(max(length, 2))
        self.holes[name] = value
        self.literal(name, offset)

    def _hole_name(self, length: int) -> str:
        number = len(self.holes)
        digits = ""
        while True:
            number, digit = divmod(number, 36)
            digits = "0123456789abcdefghijklmnopqrstuvwxyz"[digit] + digits
            if number == 0:
                break
        return "_" + digits.rjust(length - 1, "_")

    def offset_at(self, index: int) -> int:
        """The place in the file of a character of the text; of the end, one after the last."""
        if not self._starts:
            return 0
        piece = max(bisect_right(self._starts, index) - 1, 0)
        if self._fixed[piece]:
            return self._offsets[piece]
        return self._offsets[piece] + index - self._starts[piece]


def plain(text: str, offset: int = 0) -> Spliced:
    """A text that stands in the file as it is."""
    spliced = Spliced()
    spliced.literal(text, offset)
    return spliced
