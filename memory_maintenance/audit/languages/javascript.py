"""JavaScript and TypeScript, by their grammars: SQL in texts and templates, keys, attributes, models."""

from __future__ import annotations

from collections.abc import Iterator

from tree_sitter import Node

from memory_maintenance.audit.candidate import Candidate, Confidence, Context, Kind
from memory_maintenance.audit.languages.javascript_comparisons import compared_with
from memory_maintenance.audit.languages.javascript_flow import Origins
from memory_maintenance.audit.languages.javascript_program import (
    CLASSES,
    Program,
    is_field,
    types_in,
)
from memory_maintenance.audit.languages.javascript_tables import Tables, Target
from memory_maintenance.audit.languages.javascript_texts import unwrapped
from memory_maintenance.audit.languages.readings import Readings
from memory_maintenance.audit.languages.scopes import CATALOG, Evidence, Scope, judged
from memory_maintenance.audit.languages.trees import Twig
from memory_maintenance.audit.source import Source
from memory_maintenance.audit.subject import Subject

_MESSAGES = frozenset(
    {"log", "info", "warn", "warning", "error", "debug", "trace", "fatal", "it", "describe", "test"}
    | {"assert", "notice", "verbose", "silly"}
)
_DEFINING_ROOTS = frozenset({"z", "Joi", "yup", "t", "v", "Type", "DataTypes", "Schema", "s"})
_TEXT_PARTS = frozenset(
    {"template_substitution", "parenthesized_expression", "binary_expression", "template_string"}
    | {"ternary_expression", "string"}
)
_FEWEST_CHARACTERS = 8
_LONGEST_ADDRESS = 2000


def scan(source: Source, subject: Subject) -> Iterator[Candidate]:
    """What a program says of the column. Raises Unreadable at its end where it is broken."""
    text = source.text
    if not subject.column_word.search(text) and not _names_relations(source, subject):
        return
    scanner = _Scanner(source, subject)
    yield from scanner.tree.doubting(scanner.candidates())
    language = "TypeScript" if ".ts" in source.path else "JavaScript"
    scanner.tree.refuse_broken(subject, language)


def _names_relations(source: Source, subject: Subject) -> bool:
    return (
        source.names_table(subject)
        or subject.belongings.search(source.text) is not None
        or any(name in source.text for name in source.derived)
    )


class _Scanner:
    def __init__(self, source: Source, subject: Subject) -> None:
        self._source = source
        self._subject = subject
        self._program = Program(source, subject)
        self.tree = self._tree = self._program.tree
        self._texts = self._program.texts
        self._tables = Tables(subject, self._texts)
        self._readings = Readings(source, subject)
        self._told = self._readings.told
        self._origins = Origins(self._program, self._tables, self._readings, subject)

    def candidates(self) -> Iterator[Candidate]:
        """All that it says, in no order."""
        self._models()
        self._read_texts()
        targets = self._targets()
        for twig in self._program.comments:
            yield from self._prose(twig)
        yield from self._readings.whole_rows
        for twig in self._program.literals:
            yield from self._literal(twig, targets)
        for twig in self._program.names:
            yield from self._name(twig, targets)
        yield from (c for c in self._told.values() if not c.near)

    # -- tables and texts --

    def _models(self) -> None:
        """Classes and constants that stand for tables."""
        for twig, outer in self._program.classes:
            evidence = self._tables.decorated(twig.node, outer)
            if evidence.known:
                name = self._texts.name_of(twig.node.child_by_field_name("name"))
                outer.bindings[name] = evidence
                self._tables.types[name] = evidence
                twig.scope.own.add(evidence)
        for name, binding in self._program.models:
            evidence = self._tables.defined(binding.value, binding.scope)
            if evidence.known and binding.scope.bindings.get(name) is binding:
                binding.scope.bindings[name] = evidence
        for twig, outer in self._program.classes:
            name = self._texts.name_of(twig.node.child_by_field_name("name"))
            if outer.bindings.get(name, self) is None:
                del outer.bindings[name]

    def _read_texts(self) -> None:
        for twig in self._program.roots:
            if twig.end - twig.start < _FEWEST_CHARACTERS:
                continue
            self._argument(twig)
            spliced = self._texts.spliced(twig.node, twig.scope, self._given(twig))
            evidence = self._readings.read(spliced, twig.scope, twig.start, twig.end)
            if evidence is not None:
                self._type_arguments(twig, evidence)
        for binding in self._program.grown:
            if binding.value is not None and binding.whole:
                self._readings.read(self._texts.grown(binding), binding.scope)
        self._readings.sort()

    def _argument(self, twig: Twig) -> None:
        """A function that builds a query of our table is about it, whichever columns it names."""
        arguments = twig.parent
        call = arguments.parent if arguments is not None else None
        if call is None or call.type != "call_expression" or twig.type == "binary_expression":
            return
        if self._tables.named(self._tree.text_of(twig.node)[1:-1]).ours:
            evidence, _, _ = self._tables.of_chain(call.node, twig.scope)
            if evidence.ours:
                twig.scope.tell(evidence)

    def _given(self, twig: Twig) -> list[tuple[Node, Scope]]:
        """raw('... ?? ...', [a, b]): what stands for the question marks of a text."""
        arguments = twig.parent
        if arguments is None or arguments.type != "arguments":
            return []
        others = arguments.node.named_children[1:]
        if not others or others[0].start_byte <= twig.start:
            return []
        return self._texts.items(others[0], twig.scope)

    def _type_arguments(self, twig: Twig, evidence: Evidence) -> None:
        """query<Row>('SELECT ...'): what the text is about, its rows' type is about."""
        below = twig
        for above in twig.above():
            if above.type == "call_expression" and below.field == "arguments":
                for name in types_in(above.node.child_by_field_name("type_arguments")):
                    known = self._tables.types.setdefault(self._texts.name_of(name), Evidence())
                    known.add(evidence)
                return
            if above.type != "arguments" and above.type not in _TEXT_PARTS:
                return
            below = above

    def _targets(self) -> dict[int, Target]:
        """The tables that strings and keys belong to by calls; scopes learn of them."""
        targets: dict[int, Target] = {}
        for twig in self._program.literals:
            for byte in self._program.within(twig):
                if self._readings.decided(self._program.places[byte]):
                    continue
                found = self._tables.target(
                    twig, qualifier=self._qualifier(byte), key=_is_key(twig)
                )
                if found is not None and (relation := self._relation(twig, byte)):
                    related = self._tables.named(relation)
                    found = Target(related, found.kind, related.ours)
                self._learn(byte, twig, found, targets)
        for twig in self._program.names:
            if _is_key(twig):
                self._learn(twig.start, twig, self._tables.target(twig, key=True), targets)
        return targets

    def _learn(
        self, byte: int, twig: Twig, found: Target | None, targets: dict[int, Target]
    ) -> None:
        if found is not None:
            targets[byte] = found
            if found.sure:
                twig.scope.tell(found.evidence)

    def _relation(self, twig: Twig, byte: int) -> str:
        """entity_facts of select('id, entity_facts(data_type)'): another table than the chain's own."""
        text = self._tree.slice(twig.start + 1, byte)
        depth = 0
        for place in range(len(text) - 1, -1, -1):
            depth += (text[place] == ")") - (text[place] == "(")
            if depth < 0:
                before = text[:place].rstrip()
                name = before.replace("(", ",").rpartition(",")[2].rpartition(":")[2]
                return name.partition("!")[0].strip()
        return ""

    def _qualifier(self, byte: int) -> str:
        """f of f.data_type, within a text."""
        text = self._source.text
        end = self._program.places[byte]
        end -= text[end - 1 : end] == '"'
        if text[end - 1 : end] != ".":
            return ""
        start = end = end - 1
        while start and (text[start - 1].isalnum() or text[start - 1] in '_"'):
            start -= 1
        return text[start:end].strip('"')

    # -- prose --

    def _prose(self, twig: Twig) -> Iterator[Candidate]:
        for byte in self._program.within(twig):
            yield self._said(byte, "text to be read" if twig.type == "jsx_text" else "a comment")

    def _said(self, byte: int, because: str) -> Candidate:
        return Candidate(
            self._program.places[byte],
            Confidence.POSSIBLE,
            context=Context.PROSE,
            because=because,
        )

    # -- literals --

    def _literal(self, twig: Twig, targets: dict[int, Target]) -> Iterator[Candidate]:
        message = self._is_message(twig)
        for byte in self._program.within(twig):
            if self._in_hole(twig, byte):
                continue
            offset = self._program.places[byte]
            if self._readings.decided(offset):
                continue
            told = self._told.get(offset)
            if message:
                yield self._said(byte, "a message")
            elif (found := self._placed(twig, byte, offset, told, targets)) is not None:
                yield found

    def _in_hole(self, twig: Twig, byte: int) -> bool:
        """Whether a place in a template stands in one of its holes: it is looked at by itself."""
        return twig.type == "template_string" and any(
            child.type == "template_substitution" and child.start_byte <= byte < child.end_byte
            for child in twig.node.named_children
        )

    def _is_message(self, twig: Twig) -> bool:
        """Whether a text is said to a person: logged, thrown, or the title of a test."""
        for above in twig.above():
            if above.type in _TEXT_PARTS or above.type in ("arguments", "sequence_expression"):
                continue
            if above.type == "call_expression":
                name = self._texts.call(above.node)[0]
                return name in _MESSAGES or name.endswith("Error")
            if above.type == "new_expression":
                made = self._texts.name_of(above.node.child_by_field_name("constructor"))
                return made.endswith(("Error", "Exception"))
            return above.type == "throw_statement"
        return False

    def _placed(
        self, twig: Twig, byte: int, offset: int, told: Candidate | None, targets: dict[int, Target]
    ) -> Candidate | None:
        whole = self._is_name(twig)
        role = self._holder(twig) if whole else twig
        if whole and role.field in ("key", "index", "name", "property"):
            return self._by_role(role, offset, byte, targets)
        if whole and role.parent is not None and role.parent.type == "literal_type":
            return judged(offset, Kind.READ, self._origins.type_evidence(twig), twig.scope)
        decorated = self._decorated(twig) if whole else None
        if decorated is not None:
            return self._of_class(offset, decorated, twig.scope)
        target = targets.get(byte)
        named = whole or told is not None or bool(self._qualifier(byte)) or self._selected(twig)
        if target is not None and named:
            suggestion = compared_with(self._texts, self._subject, twig, target.kind)
            kind = self._argument_kind(twig, target)
            kind = told.kind if told is not None and told.kind is not Kind.READ else kind
            return self._targeted(offset, target, kind, twig, suggestion)
        if told is not None:
            if told.near:
                return self._readings.judged(told, self._asked(twig), twig.scope)
            return None
        if whole or self._is_path(twig, byte) or self._is_compact(twig):
            kind = Kind.WRITE if self._inserted(twig) or self._set(twig) else Kind.READ
            suggestion = compared_with(self._texts, self._subject, twig, kind)
            found = judged(offset, kind, self._asked(twig), twig.scope, suggestion)
            if found.because.startswith(CATALOG):
                return Candidate(
                    offset, Confidence.POSSIBLE, because="a string with the column's name"
                )
            return found
        if self._is_json_key(offset):
            return judged(offset, Kind.WRITE, Evidence(), twig.scope)
        return None

    def _asked(self, twig: Twig) -> Evidence:
        """Ours, if a text is handed to a function of the file that is about our table."""
        for above in twig.above():
            if above.type == "call_expression":
                functions = self._program.functions.get(self._texts.call(above.node)[0], ())
                return Evidence(ours=any(f.own.ours or f.inner.ours for f in functions))
            if above.type not in ("arguments", "array"):
                break
        return Evidence()

    def _selected(self, twig: Twig) -> bool:
        """Whether a text is a list of columns by the call it is given to."""
        call = twig.parent.parent if twig.parent is not None else None
        if call is None or call.type != "call_expression":
            return False
        return self._texts.call(call.node)[0] in ("select", "returning", "columns")

    def _is_json_key(self, offset: int) -> bool:
        """Whether a place in a text is a key of JSON that is written in it."""
        text = self._source.text
        end = offset + len(self._subject.column)
        after = text[end : end + 6].lstrip("\\")
        return (
            text[offset - 1 : offset] == '"' and after[:1] == '"' and after[1:].lstrip()[:1] == ":"
        )

    def _argument_kind(self, twig: Twig, target: Target) -> Kind:
        """update('data_type', value) writes, select('data_type') doesn't."""
        arguments = twig.parent
        if target.kind is Kind.READ and arguments is not None and arguments.type == "arguments":
            call = arguments.parent
            values = arguments.node.named_children
            if call is not None and len(values) > 1 and values[0].start_byte == twig.start:
                name = self._texts.call(call.node)[0]
                if name in ("update", "set"):
                    return Kind.WRITE
        return target.kind

    def _targeted(
        self, offset: int, target: Target, kind: Kind, twig: Twig, suggestion: str = ""
    ) -> Candidate:
        evidence = target.evidence
        if evidence.ours:
            sure = Confidence.CERTAIN if target.sure else Confidence.LIKELY
            return Candidate(offset, sure, kind, suggestion=suggestion)
        if target.sure:
            return Candidate(offset, Confidence.UNRELATED, kind, because=evidence.other)
        return judged(offset, kind, Evidence(), twig.scope, suggestion)

    def _is_name(self, twig: Twig) -> bool:
        """Whether a literal is the column's name and nothing else."""
        return self._subject.column_word.fullmatch(self._tree.text_of(twig.node)[1:-1]) is not None

    def _is_path(self, twig: Twig, byte: int) -> bool:
        """Whether a literal is f.data_type and nothing else."""
        qualifier = self._qualifier(byte)
        length = len(qualifier) + 1 + len(self._subject.column)
        return bool(qualifier) and length == len(
            self._tree.text_of(twig.node)[1:-1].replace('"', "")
        )

    def _is_compact(self, twig: Twig) -> bool:
        """Whether a literal is an address or a list of names, rather than a sentence."""
        text = self._tree.slice(twig.start + 1, min(twig.end - 1, twig.start + _LONGEST_ADDRESS))
        return not any(space in text for space in " \n\t") and any(c in text for c in ",=&?./")

    def _holder(self, twig: Twig) -> Twig:
        """The computed key that a literal is, or itself."""
        parent = twig.parent
        if parent is not None and parent.type == "computed_property_name":
            return parent
        return twig

    def _inserted(self, twig: Twig) -> bool:
        """INSERT INTO t ${sql(rows, 'data_type')}: a name handed to a hole of a statement that writes."""
        for above in twig.above():
            if above.type == "template_substitution":
                statement = above.parent
                before = self._tree.slice(statement.start, above.start).lower() if statement else ""
                return before.strip("` \n\t").startswith(("insert", "update"))
            if above.type not in ("arguments", "call_expression", "array"):
                return False
        return False

    def _set(self, twig: Twig) -> bool:
        """form.set('data_type', value): a name that is handed with what it gets."""
        arguments = twig.parent
        call = arguments.parent if arguments is not None else None
        if call is None or call.type != "call_expression":
            return False
        name, _, values = self._texts.call(call.node)
        first = len(values) > 1 and values[0].start_byte == twig.start
        return first and name in ("set", "append", "setItem", "setAttribute", "setValue")

    def _decorated(self, twig: Twig) -> Kind | None:
        """Whether a name is an argument of a decorator of a field."""
        for above in twig.above():
            if above.type == "decorator":
                return Kind.DEFINITION
            if above.type in CLASSES or above.type == "statement_block":
                return None
        return None

    # -- names --

    def _name(self, twig: Twig, targets: dict[int, Target]) -> Iterator[Candidate]:
        byte = twig.start + (twig.type == "private_property_identifier")
        offset = self._program.places[byte]
        if twig.type in ("identifier", "type_identifier", "statement_identifier"):
            yield self._bare(twig, offset)
        elif (found := self._by_role(twig, offset, byte, targets)) is not None:
            yield found

    def _bare(self, twig: Twig, offset: int) -> Candidate:
        """A variable: nothing of the column's, unless a row of another table is where it comes from."""
        parent = twig.parent
        if parent is not None and parent.type == "required_parameter" and is_field(parent.node):
            return judged(offset, Kind.DEFINITION, Evidence(), twig.scope)
        if parent is not None and parent.type == "jsx_attribute":
            return judged(offset, Kind.WRITE, Evidence(), twig.scope)
        evidence = self._origins.of(twig.node, twig.scope)
        if evidence.other and not evidence.ours:
            return Candidate(offset, Confidence.UNRELATED, because=evidence.other)
        return Candidate(offset, Confidence.POSSIBLE, because="a variable of that name")

    def _by_role(
        self, twig: Twig, offset: int, byte: int, targets: dict[int, Target]
    ) -> Candidate | None:
        parent = twig.parent
        if parent is None:
            return None
        kind = parent.type
        if kind in ("member_expression", "subscript_expression"):
            return self._member(parent, offset)
        if twig.type == "shorthand_property_identifier_pattern" or kind == "pair_pattern":
            evidence, scope = self._origins.pattern_origin(parent), twig.scope
            value = self._origins.taken_apart(parent)
            if value is not None and not evidence.known:
                scope = self._origins.believed(unwrapped(value), scope)
            return judged(offset, Kind.READ, evidence, scope)
        if twig.type == "shorthand_property_identifier" or kind == "pair":
            return self._key(twig, offset, byte, targets)
        if kind in ("public_field_definition", "field_definition", "method_definition"):
            return self._of_class(offset, Kind.DEFINITION, twig.scope, method=kind[0] == "m")
        if kind in ("property_signature", "method_signature"):
            return judged(offset, Kind.DEFINITION, self._origins.type_evidence(twig), twig.scope)
        if kind in ("enum_body", "enum_assignment"):
            return judged(offset, Kind.DEFINITION, Evidence(), twig.scope)
        if kind == "jsx_attribute":
            return judged(offset, Kind.WRITE, Evidence(), twig.scope)
        return Candidate(offset, Confidence.POSSIBLE, near=True)

    def _member(self, member: Twig, offset: int) -> Candidate:
        holder = member.node.child_by_field_name("object")
        kind = _member_kind(member)
        suggestion = compared_with(self._texts, self._subject, member, kind)
        evidence = Evidence()
        if holder is not None:
            inner = unwrapped(holder)
            model = (
                member.scope.find(self._texts.name_of(inner))
                if inner.type == "identifier"
                else None
            )
            if isinstance(model, Evidence):
                if model.ours:
                    return Candidate(offset, Confidence.CERTAIN, kind, suggestion=suggestion)
                return Candidate(offset, Confidence.UNRELATED, kind, because=model.other)
            evidence = self._origins.of(inner, member.scope)
            if not evidence.known:
                scope = self._origins.believed(inner, member.scope)
                return judged(offset, kind, evidence, scope, suggestion)
        return judged(offset, kind, evidence, member.scope, suggestion)

    def _key(self, twig: Twig, offset: int, byte: int, targets: dict[int, Target]) -> Candidate:
        pair = twig.parent
        assert pair is not None
        value = pair.node.child_by_field_name("value") if pair.type == "pair" else None
        target = targets.get(byte)
        if target is not None:
            suggestion = compared_with(self._texts, self._subject, twig, target.kind)
            return self._targeted(offset, target, target.kind, twig, suggestion)
        kind = self._key_kind(pair, value)
        suggestion = compared_with(self._texts, self._subject, twig, kind)
        return judged(offset, kind, self._origins.declared_type(pair), twig.scope, suggestion)

    def _key_kind(self, pair: Twig, value: Node | None) -> Kind:
        """What a key does by its value and by the call that its object is given to."""
        if self._defines(value):
            return Kind.DEFINITION
        holder = pair.parent if pair.type == "pair" else pair
        arguments = holder.parent if holder is not None else None
        call = arguments.parent if arguments is not None else None
        if call is not None and call.type == "call_expression":
            name = self._texts.call(call.node)[0]
            if name.startswith(("find", "where", "count", "filter", "orderBy", "match")):
                return Kind.READ
        return Kind.WRITE

    def _defines(self, value: Node | None) -> bool:
        """Whether a key's value says what may stand there: z.string(), DataTypes.STRING, {type: ...}."""
        if value is None:
            return False
        node = unwrapped(value)
        for _ in range(20):
            inner = node.child_by_field_name("function") or node.child_by_field_name("object")
            if inner is None:
                break
            node = inner
        return node.type == "identifier" and self._texts.name_of(node) in _DEFINING_ROOTS

    def _of_class(
        self, offset: int, kind: Kind, scope: Scope, *, method: bool = False
    ) -> Candidate:
        """A field of a class: of a model, it is the table's column."""
        model = self._model_around(scope)
        if model.ours and not method:
            return Candidate(offset, Confidence.CERTAIN, kind)
        if model.other:
            return Candidate(offset, Confidence.UNRELATED, kind, because=model.other)
        return judged(offset, kind, Evidence(), scope)

    def _model_around(self, scope: Scope) -> Evidence:
        """The table of the class that something stands in, if that is a model."""
        inner = next((outer for outer in scope.outward() if outer.kind == "class"), None)
        for twig, outer in self._program.classes:
            if twig.scope is inner:
                name = self._texts.name_of(twig.node.child_by_field_name("name"))
                model = outer.bindings.get(name)
                return model if isinstance(model, Evidence) else Evidence()
        return Evidence()


def _is_key(twig: Twig) -> bool:
    """Whether something is a key of an object that is made."""
    if twig.type == "shorthand_property_identifier":
        return True
    parent = twig.parent
    if parent is not None and parent.type == "computed_property_name":
        twig, parent = parent, parent.parent
    return parent is not None and parent.type == "pair" and twig.field == "key"


def _member_kind(member: Twig) -> Kind:
    """Whether an attribute is assigned to."""
    parent = member.parent
    if parent is None:
        return Kind.READ
    if parent.type in ("assignment_expression", "augmented_assignment_expression"):
        return Kind.WRITE if member.field == "left" else Kind.READ
    if parent.type == "unary_expression":
        operator = parent.node.child_by_field_name("operator")
        return Kind.WRITE if operator is not None and operator.type == "delete" else Kind.READ
    return Kind.READ
