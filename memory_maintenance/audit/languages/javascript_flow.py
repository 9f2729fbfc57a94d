"""Where the values of a JavaScript program come from: by types, by what fills them, by functions."""

from __future__ import annotations

from tree_sitter import Node

from memory_maintenance.audit.languages.javascript_program import Program, types_in
from memory_maintenance.audit.languages.javascript_tables import Tables
from memory_maintenance.audit.languages.javascript_texts import LITERALS, Binding, unwrapped
from memory_maintenance.audit.languages.readings import Readings
from memory_maintenance.audit.languages.scopes import Evidence, Scope
from memory_maintenance.audit.languages.trees import Twig
from memory_maintenance.audit.subject import Subject

_DEEPEST = 6


class Origins:
    """Follows values to the tables whose rows they are of."""

    def __init__(
        self, program: Program, tables: Tables, readings: Readings, subject: Subject
    ) -> None:
        self._program = program
        self._texts = program.texts
        self._tables = tables
        self._readings = readings
        self._subject = subject

    def type_evidence(self, twig: Twig) -> Evidence:
        """What is known of the type that something is a part of."""
        for above in twig.above():
            if above.type in ("interface_declaration", "type_alias_declaration"):
                name = above.node.child_by_field_name("name")
                return self._tables.type_named(self._texts.name_of(name))
            if above.type in ("generic_type", "lookup_type"):
                for name in types_in(above.node):
                    evidence = self._tables.type_named(self._texts.name_of(name))
                    if evidence.known:
                        return evidence
        return Evidence()

    def declared_type(self, pair: Twig) -> Evidence:
        """const sensor: Sensor = {...}: the type's table."""
        holder = pair.parent if pair.type == "pair" else pair
        declarator = holder.parent if holder is not None else None
        if declarator is None or declarator.type != "variable_declarator":
            return Evidence()
        for name in types_in(declarator.node.child_by_field_name("type")):
            return self._tables.type_named(self._texts.name_of(name))
        return Evidence()

    def pattern_origin(self, twig: Twig) -> Evidence:
        """What a destructuring takes apart."""
        names = twig
        for above in (twig, *twig.above()):
            if above.type in ("variable_declarator", "assignment_expression"):
                value = above.node.child_by_field_name("value") or above.node.child_by_field_name(
                    "right"
                )
                return self.of(value, above.scope)
            if above.type == "for_in_statement":
                return self.of(above.node.child_by_field_name("right"), above.scope)
            if above.type in ("formal_parameters", "arrow_function"):
                return self._parameter_origin(names)
        return Evidence()

    def taken_apart(self, twig: Twig) -> Node | None:
        """The value that a declaration takes apart."""
        for above in (twig, *twig.above()):
            if above.type == "variable_declarator":
                return above.node.child_by_field_name("value")
            if above.type not in ("object_pattern", "pair_pattern", "array_pattern"):
                break
        return None

    def _parameter_origin(self, twig: Twig) -> Evidence:
        """What a destructured parameter is bound to, by any of its names."""
        scope: Scope = twig.scope
        for child in twig.node.named_children or [twig.node]:
            bound = scope.bindings.get(self._texts.name_of(child))
            if isinstance(bound, Binding):
                return self._bound(bound, 0)
        bound = scope.bindings.get(self._subject.column)
        return self._bound(bound, 0) if isinstance(bound, Binding) else Evidence()

    def _bound(self, binding: Binding, depth: int) -> Evidence:
        evidence = self._tables.typed(binding)
        if evidence.known:
            return evidence
        return self.of(binding.value, binding.scope, depth + 1)

    def of(self, node: Node | None, scope: Scope, depth: int = 0) -> Evidence:
        """The tables that the value of an expression comes from, as far as it can be followed."""
        if node is None or depth > _DEEPEST:
            return Evidence()
        node = unwrapped(node)
        evidence = self._readings.within(node.start_byte, node.end_byte)
        if evidence.known:
            return evidence
        while node.type in ("member_expression", "subscript_expression", "call_expression"):
            if node.type == "call_expression":
                evidence = self._called(node, scope)
                if evidence.known:
                    return evidence
            inner = node.child_by_field_name("object") or node.child_by_field_name("function")
            if inner is None:
                break
            node = unwrapped(inner)
        if node.type == "identifier":
            bound = scope.find(self._texts.name_of(node))
            return self._bound(bound, depth) if isinstance(bound, Binding) else Evidence()
        return Evidence()

    def _called(self, node: Node, scope: Scope) -> Evidence:
        """What a call yields: by the chain it is, or by a text that it is given."""
        evidence, _, sure = self._tables.of_chain(node, scope)
        if evidence.known and (evidence.ours or sure):
            return evidence
        for function in self._program.functions.get(self._texts.call(node)[0], ()):
            if function.own.ours or function.inner.ours:
                return Evidence(ours=True)
            evidence = function.own if function.own.known else evidence
        if evidence.known and sure:
            return evidence
        for value in self._texts.call(node)[2]:
            if value.type == "identifier":
                bound = scope.find(self._texts.name_of(value))
                if isinstance(bound, Binding) and bound.whole and bound.value is not None:
                    text = unwrapped(bound.value)
                    within = self._readings.within(text.start_byte, text.end_byte)
                    if within.known and text.type in LITERALS:
                        return within
        return Evidence()

    def believed(self, node: Node, scope: Scope) -> Scope:
        """The scope that tells of a value: not the function that it has come into from who knows where.

        That function's queries of other tables needn't have to do with it.
        """
        while node.type in ("member_expression", "subscript_expression", "non_null_expression"):
            inner = node.child_by_field_name("object") or node.named_child(0)
            if inner is None:
                return scope
            node = unwrapped(inner)
        bound: object = Binding(node, scope)
        if node.type == "identifier":
            bound = scope.find(self._texts.name_of(node))
        if not isinstance(bound, Binding) or not self._is_stranger(bound):
            return scope
        function = next((s for s in bound.scope.outward() if s.kind != "block"), scope)
        if function.kind != "function" or function.own.ours or function.inner.ours:
            return scope
        return function.parent or scope

    def _is_stranger(self, bound: Binding) -> bool:
        """Whether a name has come in as a parameter, or from a function of another file."""
        if bound.value is None:
            return True
        value = unwrapped(bound.value)
        if value.type != "call_expression":
            return False
        name, on, values = self._texts.call(value)
        return (
            on is None
            and name not in self._program.functions
            and not any(self.of(argument, bound.scope).known for argument in values)
        )
