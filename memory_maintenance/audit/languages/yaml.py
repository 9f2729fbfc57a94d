"""YAML, by its parser's events: keys, values, scripts and statements in block scalars.

Events rather than nodes: an alias is never followed, however many there are; nothing recurses, however deep
the file; and what was read before an error is kept.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from typing import Any

import yaml

from memory_maintenance.audit.candidate import Candidate, Confidence, Context
from memory_maintenance.audit.languages import PLAIN
from memory_maintenance.audit.languages.branches import Branch, Judge, Text
from memory_maintenance.audit.languages.embedded import scan_embedded
from memory_maintenance.audit.languages.scalars import FILLER, aligned
from memory_maintenance.audit.languages.unreadable import refuse_parts
from memory_maintenance.audit.source import Source
from memory_maintenance.audit.spliced import Spliced, plain
from memory_maintenance.audit.subject import Subject

LARGEST = 1_000_000
"""Characters; a larger file is read as plain text. Some seconds and 60 MB are enough for this many."""

# What YAML allows in no file: such a character is read as a space.
_UNPRINTABLE = re.compile(
    r"[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufefe\uff00-\ufffd\U00010000-\U0010ffff]"
)
# Tags of Jinja and Go templates, with the dollar sign of GitHub's expressions.
# Bounded, and none within another: else a file of beginnings alone would take for ever.
_TAG = re.compile(
    r"\$?\{\{(?:[^{}]|\{(?!\{)|\}(?!\})){0,2000}\}\}|\{%[^%]{0,2000}%\}|\{#[^#]{0,2000}#\}"
)
# The tag and the anchor before a value.
_PROPERTIES = re.compile(r"(?:[!&]\S*\s*)*")
_DOCUMENT = re.compile(r"^---(?=\s)", re.MULTILINE)
_MOST_STARTS = 50


def scan(source: Source, subject: Subject) -> Iterator[Candidate]:
    """What a YAML file says of the column."""
    if len(source.text) > LARGEST:
        yield from scan_embedded(PLAIN, plain(source.text), source, subject)
        return
    yield from _File(source, subject).scan()


class _File:
    """One file. Texts are its keys and values, in order."""

    def __init__(self, source: Source, subject: Subject) -> None:
        self._source = source
        self._subject = subject
        self._names: dict[int, str] = {}
        self._tags: list[tuple[int, int]] = []
        self._texts: list[Text] = []
        self._judge = Judge(source, subject, self._spliced)
        bom = source.text[: source.text.startswith("\ufeff")]
        rest = source.text[len(bom) :]
        self._readable = self._without_tags(bom + _UNPRINTABLE.sub(" ", rest))

    def scan(self) -> Iterator[Candidate]:
        """All candidates."""
        start, broken = 0, list[tuple[int, int]]()
        for _ in range(_MOST_STARTS):
            reader = _Reader(self._readable, start)
            for root in reader.documents():
                yield from self._judge.judged(root)
            self._texts.extend(reader.texts)
            if not reader.broken:
                break
            next_document = _DOCUMENT.search(self._readable, reader.failed_at)
            start = next_document.start() if next_document else len(self._readable)
            broken.append((reader.end, start))
        else:
            broken.append((start, len(self._readable)))
        for begin, end in broken:
            rest = plain(self._source.text[begin:end], begin)
            yield from scan_embedded(PLAIN, rest, self._source, self._subject)
        yield from self._comments(broken)
        for begin, end in self._tags:
            for match in self._subject.column_word.finditer(self._source.text, begin, end):
                yield Candidate(match.start(), Confidence.POSSIBLE, near=True)
        refuse_parts(self._source.text, broken, self._subject, "YAML")

    def _spliced(self, text: Text) -> Spliced:
        spliced = Spliced()
        aligned(spliced, text.value, self._readable, text.start, text.style, names=self._names)
        return spliced

    def _without_tags(self, text: str) -> str:
        """The text as it could be after its templates are filled in, character by character."""
        if "{{" not in text and "{%" not in text:
            return text
        return _TAG.sub(self._filled, text)

    def _filled(self, match: re.Match[str]) -> str:
        tag = match[0]
        blank = "".join(c if c in "\r\n" else " " for c in tag)
        if not tag.lstrip("$").startswith("{{") or "\n" in tag or tag.startswith("{{/*"):
            return blank
        text = match.string
        begin = text.rfind("\n", 0, match.start()) + 1
        end = text.find("\n", match.end())
        beside = _TAG.sub("", text[begin : len(text) if end < 0 else end])
        if not beside.strip():
            return blank
        self._tags.append(match.span())
        if named := self._subject.table_word.search(tag):
            self._names[match.start()] = named[0].lower()
        return FILLER * len(tag)

    def _comments(self, broken: list[tuple[int, int]]) -> Iterator[Candidate]:
        """What stands in no text after a number sign, or in the tag of a template that is a comment."""
        starts = [text.start for text in self._texts]
        whole = self._source.text
        for match in self._subject.column_word.finditer(whole):
            offset = match.start()
            if any(begin <= offset < end for begin, end in broken):
                continue
            line = whole.rfind("\n", 0, offset) + 1
            number = bisect_right(starts, offset) - 1
            if number >= 0 and offset < self._texts[number].end:
                text = self._texts[number]
                if text.style not in ("|", ">") or "\n" in whole[text.start : offset]:
                    continue
                line = text.start
            elif number >= 0:
                line = max(line, self._texts[number].end)
            if "#" in whole[line:offset]:
                yield Candidate(offset, Confidence.POSSIBLE, context=Context.PROSE)


class _Reader:
    """Reads documents from a place on, up to the first error.

    end: after the last text that was read. failed_at: where the error was seen.
    """

    def __init__(self, text: str, start: int) -> None:
        self.texts: list[Text] = []
        self.broken = False
        self.end = start
        self.failed_at = start
        self._start = start
        self._text = text
        self._anchors: dict[str, Branch] = {}
        self._open: list[Branch] = []
        # The key that waits for its value, for each open mapping.
        self._waiting: list[Text | None] = []
        self._root: Branch | None = None

    def documents(self) -> Iterator[Branch]:
        """The root of each document; of the last one what could be read of it."""
        # Its own stream each time: libyaml counts from where it begins.
        loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
        self._start += self._text.startswith("\ufeff", self._start)
        text = self._text[self._start :]
        try:
            for event in yaml.parse(text, Loader=loader):
                yield from self._take(event)
        except (yaml.YAMLError, RecursionError) as error:
            self.broken = True
            mark = getattr(error, "problem_mark", None)
            seen = self._start + mark.index if mark is not None else self.end
            # At least one character on: the same error must not be met again.
            self.failed_at = max(seen, self.end, self._start + 1)
            if self._root is not None:
                yield self._root

    def _take(self, event: Any) -> Iterator[Branch]:
        if isinstance(event, yaml.ScalarEvent):
            self._scalar(event)
        elif isinstance(event, yaml.CollectionStartEvent):
            self._begin(event)
        elif isinstance(event, yaml.CollectionEndEvent):
            self._open.pop()
            self._waiting.pop()
        elif isinstance(event, yaml.AliasEvent):
            self._alias(event)
        elif isinstance(event, yaml.DocumentEndEvent):
            if self._root is not None:
                yield self._root
            self._root = None
            self._anchors.clear()

    def _scalar(self, event: Any) -> None:
        start = self._start + event.start_mark.index
        if self._text[start : start + 1] in ("!", "&") and (event.tag or event.anchor):
            start = _PROPERTIES.match(self._text, start).end()  # type: ignore[union-attr]
        self.end = self._start + event.end_mark.index
        text = Text(event.value, start, self.end, event.style or "")
        self.texts.append(text)
        if not self._open:
            self._root = Branch(is_list=True, texts=[(None, text)])
            return
        branch = self._open[-1]
        if branch.is_list:
            branch.texts.append((None, text))
        elif self._waiting[-1] is None:
            branch.keys.append(text)
            self._waiting[-1] = text
        else:
            branch.texts.append((self._waiting[-1], text))
            self._waiting[-1] = None

    def _begin(self, event: Any) -> None:
        parent = self._open[-1] if self._open else None
        branch = Branch(isinstance(event, yaml.SequenceStartEvent), self._key(), parent)
        if parent is None:
            self._root = branch
        else:
            parent.branches.append(branch)
        if event.anchor:
            self._anchors[event.anchor] = branch
        self._open.append(branch)
        self._waiting.append(None)

    def _key(self) -> Text | None:
        """What a new branch stands under. A mapping that is itself a key takes the place of one."""
        if not self._open:
            return None
        if self._open[-1].is_list:
            return self._open[-1].key
        key = self._waiting[-1]
        self._waiting[-1] = Text("", self.end, self.end) if key is None else None
        return key

    def _alias(self, event: Any) -> None:
        if not self._open or self._open[-1].is_list:
            return
        key = self._key()
        merged = self._anchors.get(event.anchor)
        if key is not None and key.value == "<<" and merged is not None:
            self._open[-1].merged.append(merged)
