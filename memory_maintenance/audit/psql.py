"""Scripts for psql: what in them is SQL, and what is psql's own."""

from __future__ import annotations

import re

_VARIABLE = re.compile(r""":(?:'(\w+)'|"(\w+)"|(\w+))""")
_COPY_IN = re.compile(r"(?is)^\s*copy\b.*\bfrom\s+stdin\b")
_SPECIAL = re.compile(r"""['"$\\:;/-]""")
# The column list of a COPY is no longer.
_LONGEST_COPY = 100_000
_DOLLAR = re.compile(r"\$(?:[A-Za-z_\x80-\U0010ffff][\w]*)?\$")


class Script:
    """A script. sql: it, with all that is psql's own blanked or made names, character for character as long.

    holes: the names that stand for variables, with their values where \\set gives one. commands: the lines
    that are psql's own, each with its place. data: where inline data of COPY begin and end.
    """

    def __init__(self, text: str) -> None:
        self.holes: dict[str, str | None] = {}
        self.commands: list[tuple[int, str]] = []
        self.data: list[tuple[int, int]] = []
        self._values: dict[str, str] = {}
        self._text = text
        self._made = list(text)
        self._statement = 0
        self.ends: list[int] = []
        self._read()
        self.sql = "".join(self._made)

    def _blank(self, start: int, end: int) -> None:
        for i in range(start, end):
            if self._made[i] not in "\r\n":
                self._made[i] = " "

    def _read(self) -> None:
        text = self._text
        i = 0
        n = len(text)
        if text.startswith("\ufeff"):
            self._made[0] = " "
            i = 1
        while (match := _SPECIAL.search(text, i)) is not None:
            i = match.start()
            c = text[i]
            if c == "'":
                i = self._string(i)
            elif c == '"':
                end = text.find('"', i + 1)
                i = n if end < 0 else end + 1
            elif c == "-" and text.startswith("--", i):
                end = text.find("\n", i)
                i = n if end < 0 else end
            elif c == "/" and text.startswith("/*", i):
                i = self._comment(i)
            elif c == "$" and (tag := _DOLLAR.match(text, i)) and not _word_before(text, i):
                end = text.find(tag[0], tag.end())
                i = n if end < 0 else end + len(tag[0])
            elif c == "\\":
                i = self._command(i)
            elif c == ":" and not text.startswith(("::", ":="), i) and text[i - 1 : i] != ":":
                i = self._variable(i)
            elif c == ";":
                i += 1
                if _COPY_IN.match(text[self._statement : min(i, self._statement + _LONGEST_COPY)]):
                    i = self._copied(i)
                self._statement = i
                self.ends.append(i)
            else:
                i += 1

    def _string(self, i: int) -> int:
        text = self._text
        escapes = i > 0 and text[i - 1] in "eE" and not _word_before(text, i - 1)
        i += 1
        while i < len(text):
            if text[i] == "\\" and escapes:
                i += 2
            elif text[i] == "'":
                if text.startswith("''", i):
                    i += 2
                else:
                    return i + 1
            else:
                i += 1
        return len(text)

    def _comment(self, i: int) -> int:
        depth = 0
        text = self._text
        while i < len(text):
            if text.startswith("/*", i):
                depth += 1
                i += 2
            elif text.startswith("*/", i):
                depth -= 1
                i += 2
                if depth == 0:
                    return i
            else:
                i += 1
        return i

    def _command(self, i: int) -> int:
        """A command of psql goes to the end of its line. What \\copy says is SQL, but for the backslash."""
        text = self._text
        end = text.find("\n", i)
        end = len(text) if end < 0 else end
        line = text[i:end]
        if re.match(r"(?i)\\copy\b", line):
            self._made[i] = " "
            # psql's takes no semicolon.
            if end < len(text):
                self._made[end] = ";"
            self._statement = end + 1
            return end
        if match := re.match(r"\\g(?:x|set|exec|desc)?\b[^\n]*", line):
            self._blank(i, i + match.end())
            self._made[i] = ";"
            self._statement = i + match.end()
            return i + match.end()
        if match := re.match(r"\\set\s+(\w+)\s+'?([^'\n]*)'?\s*$", line):
            self._values[match[1]] = match[2].strip()
        self.commands.append((i, line))
        self._blank(i, end)
        return end

    def _variable(self, i: int) -> int:
        match = _VARIABLE.match(self._text, i)
        if match is None:
            return i + 1
        if match.end() - i < 2 or (match[3] and match[3][0].isdigit()):
            return match.end()  # a slice: [1:2]
        value = self._values.get(match[1] or match[2] or match[3])
        name = f"_{len(self.holes):0>{match.end() - i - 1}}"[: match.end() - i]
        if name not in self.holes:
            self.holes[name] = value if match[1] is None else None
        self._made[i : match.end()] = name.ljust(match.end() - i)
        return match.end()

    def _copied(self, i: int) -> int:
        """The data after COPY ... FROM STDIN, up to their end."""
        start = self._text.find("\n", i)
        if start < 0:
            return i
        match = re.compile(r"^\\\.\r?$", re.MULTILINE).search(self._text, start)
        end = len(self._text) if match is None else match.end()
        self._blank(start, end)
        self.data.append((start, end))
        return end


def _word_before(text: str, i: int) -> bool:
    return i > 0 and (text[i - 1].isalnum() or text[i - 1] in "_$")
