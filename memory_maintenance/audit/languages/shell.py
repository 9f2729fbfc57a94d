"""Shell scripts, by their grammar: statements for psql however they get there, keys of jq, other scripts."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator

from tree_sitter import Language as Grammar
from tree_sitter import Node

from memory_maintenance.audit.candidate import Candidate, Confidence, Context, Kind
from memory_maintenance.audit.languages import Language
from memory_maintenance.audit.languages.embedded import (
    language_named,
    language_of_file,
    scan_embedded,
)
from memory_maintenance.audit.languages.readings import Readings, Spots
from memory_maintenance.audit.languages.scopes import Evidence, Scope, judged
from memory_maintenance.audit.languages.shell_texts import (
    QUOTED,
    Assignment,
    Words,
    colons_filled,
    copied,
)
from memory_maintenance.audit.languages.trees import Tree, Twig
from memory_maintenance.audit.source import Source
from memory_maintenance.audit.spliced import Spliced
from memory_maintenance.audit.sqltext import sql_file
from memory_maintenance.audit.subject import Subject

_PSQL = frozenset({"psql", "pgcli", "usql", "pgbench"})
_INTERPRETERS = {
    "python": "python",
    "python3": "python",
    "pypy3": "python",
    "node": "javascript",
    "deno": "javascript",
    "bun": "javascript",
    "sh": "shell",
    "bash": "shell",
    "dash": "shell",
    "zsh": "shell",
    "ksh": "shell",
    "ssh": "shell",
    "eval": "shell",
    "su": "shell",
}
_MESSAGES = frozenset(
    {"echo", "printf", "log", "info", "warn", "warning", "error", "die", "fail", "logger", "say"}
    | {
        "usage",
        "debug",
        "notice",
        "msg",
        "abort",
        "fatal",
        "ok",
        "success",
        "log_info",
        "log_error",
    }
)
_TOOLS = frozenset(
    {"grep", "egrep", "fgrep", "rg", "ag", "awk", "gawk", "mawk", "sed", "cut", "sort", "csvcut"}
    | {
        "xsv",
        "mlr",
        "csvgrep",
        "tr",
        "perl",
        "ruby",
        "curl",
        "http",
        "https",
        "wget",
        "xh",
        "csvsort",
    }
    | {"zgrep", "csvsql", "qsv", "duckdb", "yq", "dasel", "gron"}
)
_ASSIGNING = frozenset({"read", "unset", "mapfile", "readarray", "getopts", "export", "env"})
_CLAUSES = frozenset(
    {"select", "insert", "update", "delete", "where", "and", "or", "set", "order", "group", "with"}
    | {"alter", "create", "drop", "copy", "merge", "having", "join", "from"}
)
_PARTS = frozenset({"pipeline", "command_substitution", "redirected_statement", "command"})
_FED = frozenset({"pipeline", "redirected_statement", "command"})
_TEXTS = QUOTED | {
    "concatenation",
    "word",
    "heredoc_body",
    "extglob_pattern",
    "regex",
    "string_content",
}
_WRAPPERS = frozenset(
    {"sudo", "env", "time", "exec", "command", "nohup", "nice", "xargs", "timeout"}
)
_BACKSLASHES = re.compile(rb"(\n[ \t]*)((?:\\)+[$`]?)(?=[^\n\r\"'])")
_SHORTEST = 8
_LONGEST_OPTION = 8
_MOST_ARGUMENTS = 50
_DEEPEST = 3


def scan(source: Source, subject: Subject) -> Iterator[Candidate]:
    """What a script says of the column. Raises Unreadable at its end where it is broken."""
    text = source.text
    if not subject.column_word.search(text) and not (
        source.names_table(subject)
        or subject.belongings.search(text)
        or any(name in text for name in source.derived)
    ):
        return
    scanner = _Scanner(source, subject)
    yield from scanner.tree.doubting(scanner.candidates())
    scanner.tree.refuse_broken(subject, "shell")


class _Scanner:
    def __init__(self, source: Source, subject: Subject, depth: int = 0) -> None:
        import tree_sitter_bash

        self._depth = depth

        self._source = source
        self._subject = subject
        self.tree = self._tree = Tree(
            source.text, Grammar(tree_sitter_bash.language()), smoothed=_without_commands
        )
        self._words = Words(self._tree, subject)
        self._readings = Readings(source, subject)
        self._spots = Spots(source, subject, self._tree)
        self._file = Scope("file", None)
        self._offsets = [match.start() for match in subject.column_word.finditer(source.text)]
        self._texts: list[Twig] = []
        self._comments: list[Twig] = []
        self._embedded: list[Candidate] = []
        self._pieces: list[tuple[int, int]] = []
        self._named: dict[int, list[str]] = {}
        self._fed: dict[int, Evidence] = {}
        self._called: dict[str, list[list[Node]]] = {}
        self._functions: list[tuple[str, Scope]] = []
        self._grown: list[tuple[str, Assignment]] = []

    def candidates(self) -> Iterator[Candidate]:
        """All that it says, in no order."""
        for twig in self._tree.walk():
            self._visit(twig)
        self._parameters()
        for twig in self._texts:
            self._read(twig)
        for name, assignment in self._grown:
            spliced = self._words.grown(name, assignment)
            self._readings.read(colons_filled(spliced), assignment.scope)
        self._readings.sort()
        for twig in self._comments:
            for offset in self._within(twig):
                yield _prose(offset, "a comment")
        for twig in self._texts:
            yield from self._places(twig)
        yield from self._embedded
        yield from self._readings.whole_rows
        yield from (told for told in self._readings.told.values() if not told.near)

    def _within(self, twig: Twig) -> list[int]:
        """Where the column's name stands in a node."""
        start, end = self._tree.offset(twig.start), self._tree.offset(twig.end)
        first = bisect_left(self._offsets, start)
        return self._offsets[first : bisect_left(self._offsets, end)]

    # -- the walk --

    def _visit(self, twig: Twig) -> None:
        kind = twig.type
        if twig.scope is None:
            twig.scope = self._file
        if kind in _TEXTS:
            if self._is_root(twig):
                self._texts.append(twig)
        elif kind == "function_definition":
            twig.scope = Scope("function", twig.scope)
            name = self._words.name_of(twig.node.child_by_field_name("name"))
            self._functions.append((name, twig.scope))
        elif kind == "variable_assignment":
            self._assign(twig)
        elif kind == "for_statement":
            self._loop(twig)
        elif kind == "comment":
            if self._within(twig):
                self._comments.append(twig)
        elif kind == "expansion":
            self._default(twig)
        elif kind in _PARTS:
            if kind == "command":
                self._call(twig.node)
            twig.scope = Scope("part", twig.scope)

    def _is_root(self, twig: Twig) -> bool:
        """Whether a text is a whole word of its own."""
        parent = twig.parent
        if parent is None or parent.type == "concatenation":
            return False
        if twig.type == "string_content":
            return parent.type not in ("string", "translated_string")
        if twig.type == "string" and parent.type == "translated_string":
            return False
        if twig.type in ("word", "extglob_pattern", "regex"):
            return bool(self._within(twig)) and parent.type != "function_definition"
        return True

    def _assign(self, twig: Twig) -> None:
        node = twig.node
        name, value = node.child_by_field_name("name"), node.child_by_field_name("value")
        if name is None or value is None or name.type != "variable_name":
            return
        scope = _holding(twig.scope)
        holder = twig.parent
        key = self._words.name_of(name)
        local = ("local", "declare", "typeset")
        if not (
            holder is not None
            and holder.type == "declaration_command"
            and holder.node.child(0).type in local
        ):
            scope = next((s for s in scope.outward() if key in s.bindings), self._file)
        added = any(child.type == "+=" for child in node.children)
        assignment = Assignment(node.end_byte, value, twig.scope, added)
        scope.bindings.setdefault(key, []).append(assignment)
        if added:
            self._grown.append((key, assignment))

    def _loop(self, twig: Twig) -> None:
        node = twig.node
        name = self._words.name_of(node.child_by_field_name("variable"))
        values = node.children_by_field_name("value")
        scope = _holding(twig.scope)
        scope.bindings.setdefault(name, []).extend(
            Assignment(node.start_byte, value, twig.scope) for value in values
        )

    def _default(self, twig: Twig) -> None:
        """: "${TABLE:=entity_facts}" assigns."""
        children = twig.node.children
        for i, child in enumerate(children):
            if child.type in (":=", "=") and i and i + 1 < len(children):
                name, value = children[i - 1], children[i + 1]
                if name.type == "variable_name" and value.is_named:
                    self._file.bindings.setdefault(self._words.name_of(name), []).append(
                        Assignment(twig.end, value, twig.scope)
                    )

    def _call(self, node: Node) -> None:
        name = self._words.name_of(node.child_by_field_name("name"))
        self._called.setdefault(name, []).append(node.children_by_field_name("argument"))

    def _parameters(self) -> None:
        """$1 of a function is what it is called with: our table's name, if any call has that."""
        for name, scope in self._functions:
            for arguments in self._called.get(name, ()):
                for i, argument in enumerate(arguments, 1):
                    if argument.type in ("word", *QUOTED):
                        scope.bindings.setdefault(str(i), []).append(
                            Assignment(-1, argument, self._file)
                        )

    # -- reading --

    def _read(self, twig: Twig) -> None:
        if twig.end - twig.start < _SHORTEST or not self._spots.within(twig):
            return
        command = self._command(twig)
        programs = self._programs(command)
        if twig.type == "heredoc_body":
            self._read_document(twig, programs)
            return
        printed = bool(programs) and programs[0] == "printf"
        spliced = self._words.spliced(twig.node, twig.scope, printed=printed)
        language = self._interpreted(twig, command, programs)
        if language:
            self._embed(language, spliced, twig)
            return
        spliced = _unquoted(_without_option(spliced))
        text = spliced.text
        if text.lstrip().startswith("\\") and _PSQL & set(programs):
            self._command_of_psql(spliced, twig)
            return
        evidence = self._readings.read(colons_filled(spliced), twig.scope, twig.start, twig.end)
        if evidence is None and "psql" in text and text.strip() != "psql" and " " in text:
            self._embed("shell", spliced, twig)

    def _command(self, twig: Twig) -> Twig | None:
        """The command that a word is an argument of, or is fed to."""
        for above in twig.above():
            if above.type == "command":
                return above
            if above.type in ("redirected_statement", "pipeline"):
                return above
            if above.type in ("variable_assignment", "function_definition", "array"):
                return None
        return None

    def _programs(self, command: Twig | None) -> list[str]:
        """The words of a command that may name what it runs, without folders; of all in a pipeline."""
        if command is None:
            return []
        known = self._named.get(command.node.id)
        if known is not None:
            return known
        names: list[str] = []
        for node in _commands(command.node):
            name = self._words.name_of(node.child_by_field_name("name"))
            names.append(name.strip("\"'").rpartition("/")[2])
            names += (
                self._words.name_of(argument).rpartition("/")[2]
                for argument in node.children_by_field_name("argument")[:_MOST_ARGUMENTS]
                if argument.type == "word"
            )
        self._named[command.node.id] = names
        return names

    def _interpreted(self, twig: Twig, command: Twig | None, programs: list[str]) -> str:
        """The language of an argument that is a program: python3 -c '...'."""
        if command is None or command.type != "command" or not programs:
            return ""
        first = next((name for name in programs if name not in _WRAPPERS), "")
        language = _INTERPRETERS.get(first, "") or _INTERPRETERS.get(
            first.rstrip("0123456789."), ""
        )
        if not language or _PSQL & set(programs):
            return ""
        if first in ("ssh", "eval"):
            return language if " " in self._words.name_of(twig.node) else ""
        before = twig.node.prev_named_sibling
        option = self._words.name_of(before) if before is not None else ""
        return language if option.startswith("-") and option[-1:] in "cep" else ""

    def _read_document(self, twig: Twig, programs: list[str]) -> None:
        """A here-doc: by what it is fed to, or the file it is written into."""
        holder = next((a for a in twig.above() if a.type == "redirected_statement"), None)
        spliced = self._document(twig)
        if _PSQL & set(programs):
            self._script(spliced, twig)
            return
        first = next((name for name in programs if name not in _WRAPPERS), "")
        language = _INTERPRETERS.get(first, "")
        if not language and first in ("docker", "kubectl", "podman"):
            language = next((_INTERPRETERS[n] for n in programs if n in _INTERPRETERS), "")
        if language:
            self._embed(language, spliced, twig)
            return
        written = self._written(holder)
        if written is not None and written.name != "sql":
            self._embed(written.name, spliced, twig)
        elif written is not None:
            self._script(spliced, twig)
        else:
            self._readings.read(colons_filled(spliced), twig.scope, twig.start, twig.end)

    def _document(self, twig: Twig) -> Spliced:
        redirect = twig.parent
        quoted = redirect is not None and any(
            child.type == "heredoc_start" and self._words.name_of(child)[:1] in ("'", '"', "\\")
            for child in redirect.node.children
        )
        if not quoted:
            return self._words.spliced(twig.node, twig.scope)
        spliced = Spliced()
        spliced.literal(self._tree.text_of(twig.node), self._tree.offset(twig.start))
        return spliced

    def _written(self, holder: Twig | None) -> Language | None:
        """The language of the file that a here-doc is written into."""
        if holder is None:
            return None
        pending = list(holder.node.children)
        for _ in range(100):
            if not pending:
                break
            node = pending.pop(0)
            if node.type == "file_redirect":
                target = self._words.name_of(node.child_by_field_name("destination"))
                language = language_of_file(target.strip("\"'"))
                if language is not None:
                    return language
            elif node.type == "heredoc_redirect" or (
                node.type in ("command", "pipeline") and "tee" in self._words.name_of(node)
            ):
                pending += node.named_children
            elif node.type == "word" and node.parent is not None and node.parent.type == "command":
                language = language_of_file(self._words.name_of(node))
                if language is not None:
                    return language
        return None

    def _script(self, spliced: Spliced, twig: Twig) -> None:
        """Input of psql."""
        start = self._tree.offset(twig.start)
        text = self._tree.text_of(twig.node)
        if not spliced.holes and spliced.text == text:
            reading = sql_file(text, self._subject, derived=self._source.derived, offset=start)
            self._readings.keep(reading)
            other = "a column of another table" if reading.others and not reading.ours else ""
            self._readings.note(Evidence(reading.ours, other), twig.scope, twig.start, twig.end)
            return
        statements = Spliced()
        statements.holes.update(spliced.holes)
        for line_start, line in _lines(spliced.text):
            piece = _part(spliced, line_start, line_start + len(line))
            if line.lstrip().startswith("\\"):
                self._command_of_psql(piece, twig)
            else:
                _add(statements, spliced, line_start, line_start + len(line))
        self._readings.read(colons_filled(statements), twig.scope, twig.start, twig.end)

    def _command_of_psql(self, spliced: Spliced, twig: Twig) -> None:
        r"""\copy is COPY but for the backslash; others take names."""
        text = spliced.text
        place = text.find("\\")
        if text[place + 1 :].lstrip().lower().startswith("copy"):
            piece = _part(spliced, place + 1, len(text))
            self._readings.read(colons_filled(piece), twig.scope, twig.start, twig.end)

    def _embed(self, language: str, spliced: Spliced, twig: Twig) -> None:
        """A script in another language, or the shell's own, read by that scanner."""
        self._pieces.append((twig.start, twig.end))
        for candidate in self._scanned(language, spliced):
            self._embedded.append(candidate)
            if candidate.confidence is Confidence.CERTAIN:
                twig.scope.tell(Evidence(ours=True))

    def _scanned(self, language: str, spliced: Spliced) -> Iterator[Candidate]:
        if language != "shell":
            yield from scan_embedded(language_named(language), spliced, self._source, self._subject)
        elif self._depth < _DEEPEST:
            piece = Source(
                self._source.path, spliced.text, self._source.context, self._source.derived
            )
            for candidate in _Scanner(piece, self._subject, self._depth + 1).candidates():
                yield candidate.moved(spliced.offset_at(candidate.offset))

    # -- places --

    def _places(self, twig: Twig) -> Iterator[Candidate]:
        if (twig.start, twig.end) in self._pieces:
            return
        offsets = self._within(twig)
        if not offsets:
            return
        programs = self._programs(self._command(twig))
        for offset in offsets:
            if self._readings.decided(offset) or self._expanded(twig, offset):
                continue
            found = self._place(twig, offset, programs)
            if found is not None:
                yield found

    def _expanded(self, twig: Twig, offset: int) -> bool:
        """Whether a place stands in an expansion within the text: it is looked at by itself."""
        pending = list(twig.node.named_children)
        while pending:
            child = pending.pop()
            if child.type == "concatenation" or child.type in QUOTED:
                pending += child.named_children
            elif child.type in ("expansion", "simple_expansion", "command_substitution"):
                start, end = self._tree.offset(child.start_byte), self._tree.offset(child.end_byte)
                if start <= offset < end:
                    return True
        return False

    def _place(self, twig: Twig, offset: int, programs: list[str]) -> Candidate | None:
        told = self._readings.told.get(offset)
        first = next((name for name in programs if name not in _WRAPPERS), "")
        text = self._tree.text_of(twig.node)
        if first in _MESSAGES and not _PSQL & set(programs):
            words = text.strip("\"'$").split(None, 1)
            if told is None or not words or words[0].lower() not in _CLAUSES:
                return _prose(offset, "a message")
        if told is not None:
            if not told.near:
                return None
            return self._readings.judged(told, Evidence(), twig.scope)
        if twig.type == "heredoc_body":
            return None
        command = self._command(twig)
        own = self._programs(command)[:1] if command is not None else []
        if own == ["jq"] or (own and own[0] in _WRAPPERS and "jq" in programs):
            return self._key(twig, offset)
        if own and own[0] in _ASSIGNING:
            return Candidate(offset, Confidence.POSSIBLE, because="a variable of that name")
        if own and own[0] in _TOOLS:
            return self._judged(twig, offset, self._kind_of_text(offset))
        if self._is_name(text):
            return self._judged(twig, offset, Kind.READ)
        return None

    def _is_name(self, text: str) -> bool:
        """Whether a word is the column's name, or gives it to an option or names one."""
        bare = text.strip("\"'")
        name, equals, value = bare.partition("=")
        return any(
            self._subject.column_word.fullmatch(word.strip("\"'")) is not None
            for word in (name.lstrip("-"), value if equals else "")
        )

    def _judged(self, twig: Twig, offset: int, kind: Kind) -> Candidate:
        return judged(offset, kind, self._flow(twig), twig.scope)

    def _flow(self, twig: Twig) -> Evidence:
        """What is known of the variables that are fed to a command."""
        holders = [above for above in twig.above() if above.type in _FED]
        pipeline = next((above for above in holders if above.type != "command"), None)
        pipeline = pipeline or next(iter(holders), None)
        if pipeline is None:
            return Evidence()
        known = self._fed.get(pipeline.node.id)
        if known is None:
            known = self._fed[pipeline.node.id] = self._variables(pipeline)
        return known

    def _variables(self, pipeline: Twig) -> Evidence:
        evidence = self._readings.within(pipeline.start, pipeline.end)
        if evidence.known:
            return evidence
        pending = list(pipeline.node.named_children)
        for _ in range(1000):
            if not pending:
                break
            node = pending.pop()
            if node.type == "variable_name":
                name = self._words.name_of(node)
                assigned = self._words.last(name, pipeline.scope, node.start_byte)
                if assigned is not None:
                    value = assigned.value
                    evidence.add(self._readings.within(value.start_byte, value.end_byte))
            pending += node.named_children
        return evidence

    def _key(self, twig: Twig, offset: int) -> Candidate:
        """A word in a filter of jq."""
        before = twig.node.prev_named_sibling
        option = self._words.name_of(before) if before is not None else ""
        if option in ("--arg", "--argjson", "--slurpfile", "--rawfile"):
            return Candidate(offset, Confidence.POSSIBLE, because="a variable of jq")
        return self._judged(twig, offset, self._kind_of_text(offset))

    def _kind_of_text(self, offset: int) -> Kind:
        """Whether a key gets a value: {data_type: ...}, "data_type": ..., .data_type = ..."""
        text = self._source.text
        end = offset + len(self._subject.column)
        after = text[end : end + 20].lstrip("\\\"'").lstrip()
        if after.startswith((":", "|=")):
            return Kind.WRITE
        assigned = after.startswith("=") and not after.startswith(("==", "=eq", "=in", "=neq"))
        return Kind.WRITE if assigned and text[offset - 1 : offset] == "." else Kind.READ


def _without_commands(data: bytes) -> bytes:
    r"""Lines of here-docs that begin with \set or so, which the grammar takes for words of the command."""
    return _BACKSLASHES.sub(lambda found: found[1] + b"_" * len(found[2]), data)


def _prose(offset: int, because: str) -> Candidate:
    return Candidate(offset, Confidence.POSSIBLE, context=Context.PROSE, because=because)


def _holding(scope: Scope) -> Scope:
    """The function or file whose variables those of a part are."""
    return next(s for s in scope.outward() if s.kind != "part")


def _commands(node: Node) -> Iterator[Node]:
    """The simple commands of a pipeline or of a statement with redirections."""
    pending = [node]
    for _ in range(200):
        if not pending:
            return
        current = pending.pop(0)
        if current.type == "command":
            yield current
        elif current.type in ("pipeline", "redirected_statement", "heredoc_redirect", "list"):
            pending += current.named_children


def _without_option(spliced: Spliced) -> Spliced:
    """The value of --command=... or -c..., where a word begins with such an option."""
    text = spliced.text
    if text.startswith("--"):
        name, equals, _ = text.partition("=")
        if equals and " " not in name:
            return _part(spliced, len(name) + 1, len(text))
    elif text.startswith("-"):
        letters = text[1:_LONGEST_OPTION].partition("c")
        if letters[1] and (letters[0].isalpha() or not letters[0]):
            return _part(spliced, len(letters[0]) + 2, len(text))
    return spliced


def _unquoted(spliced: Spliced) -> Spliced:
    """A word with quotes of its own within it, for a shell that reads it once more."""
    text = spliced.text
    if len(text) > 1 and text[0] == text[-1] == "'" and " " in text:
        return _part(spliced, 1, len(text) - 1)
    return spliced


def _part(spliced: Spliced, start: int, end: int) -> Spliced:
    part = Spliced()
    part.holes.update(spliced.holes)
    _add(part, spliced, start, end)
    return part


def _add(part: Spliced, spliced: Spliced, start: int, end: int) -> None:
    """Appends a stretch of another text with its places."""
    copied(spliced, spliced.text, start, end, part)


def _lines(text: str) -> Iterator[tuple[int, str]]:
    start = 0
    for line in text.splitlines(keepends=True):
        yield start, line
        start += len(line)
