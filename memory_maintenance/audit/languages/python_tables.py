"""Which tables the classes and calls of a Python file are about: models, chains of methods, DDL."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from memory_maintenance.audit.languages.python_names import Names, dotted
from memory_maintenance.audit.languages.python_strings import Strings, called, is_name
from memory_maintenance.audit.languages.python_tree import Tree
from memory_maintenance.audit.subject import Subject

_NAMING = frozenset({"__tablename__", "__table_name__", "_table_", "__table__", "tablename"})
_META = {"Meta": frozenset({"db_table", "table_name", "table"})}
# Calls that name a table, by the number of the argument that does.
_TABLE_CALLS = {
    "Table": 0,
    "TableClause": 0,
    "delete_from": 0,
    "from_": 0,
    "from_table": 0,
    "insert_into": 0,
    "into": 0,
    "table": 0,
}
# Parameters that are handed a table's name. What is called table may be any other thing of that name, but
# not where the file says itself what the function does with it, or where its name has a word for a query.
_TABLE_PARAMETERS = frozenset({"from_table", "table", "table_name", "tablename"})
_QUERYING = ("count", "delete", "fetch", "find", "insert", "query", "select", "update", "upsert")
SCHEMA_CALLS = {
    "add_column": 0,
    "alter_column": 0,
    "batch_alter_table": 0,
    "create_check_constraint": 1,
    "create_exclude_constraint": 1,
    "create_index": 1,
    "create_table": 0,
    "create_unique_constraint": 1,
    "drop_column": 0,
    "drop_constraint": 1,
    "drop_index": 1,
    "drop_table": 0,
}
"""Calls that change a table's definition, likewise."""
_BULK = {"bulk_insert": 0}
# Calls whose arguments say whose rows a chain of methods is about.
_CHOOSING = frozenset(
    {
        "aliased",
        "delete",
        "exists",
        "get",
        "get_or_404",
        "insert",
        "join",
        "outerjoin",
        "query",
        "scalar",
        "scalars",
        "select",
        "select_from",
        "update",
    }
)


# Methods of a session that store the objects that they are handed.
_STORING = frozenset({"add", "add_all", "merge", "save", "refresh", "expunge"})
_LONGEST_CHAIN = 40


@dataclass(frozen=True, slots=True)
class About:
    """Which table something is about. because: whose column it is, where it isn't ours."""

    ours: bool
    certain: bool = False
    because: str = ""


def together(found: Iterable[About]) -> About | None:
    """What several say: of ours and others, that it may be ours."""
    every = list(found)
    ours = [about for about in every if about.ours]
    if not ours:
        return every[0] if every else None
    return About(ours=True, certain=len(ours) == len(every) and all(a.certain for a in ours))


class Tables:
    """The classes and names of a file that stand for tables."""

    def __init__(
        self, tree: Tree, names: Names, strings: Strings, subject: Subject, derived: frozenset[str]
    ) -> None:
        self._tree = tree
        self._names = names
        self._strings = strings
        self._derived = derived
        self._column = subject.column
        self._conventional = frozenset(
            model for table in subject.table_names for model in model_names(table)
        )
        self._stems = {
            part.rstrip("s")[:6].lower()
            for table in subject.table_names
            for part in table.split("_")
        }
        self._classes: dict[int, About] = {}
        self._by_name: dict[str, About] = {}
        self._positions = dict(_table_positions(tree))
        self._read_classes()
        self._read_imported()
        self._read_names()

    @property
    def named(self) -> dict[str, About]:
        """Names that stand for a table anywhere in the file."""
        return self._by_name

    def about_table(self, name: str | None) -> About | None:
        """What a table's name says; None where it isn't known."""
        if not name:
            return None
        if self._strings.is_ours(name):
            return About(ours=True, certain=True)
        last = name.rpartition(".")[2].strip('"')
        if last in self._derived:
            return About(ours=True)
        return About(ours=False, because=f"a column of {last}")

    def about_name(self, name: str) -> About | None:
        """What a name says, by what it stands for or, else, because models are called like their tables."""
        known = self._by_name.get(name)
        if known is None and name.replace("_", "").lower() in self._conventional:
            return About(ours=True)
        return known

    def about_class(self, node: ast.ClassDef) -> About | None:
        """What a class says of its fields."""
        known = self._classes.get(id(node))
        if known is None and isinstance(parent := self._tree.parent(node), ast.ClassDef):
            return self.about_class(parent)
        return known if known is not None else self._by_convention(node.name)

    def _by_convention(self, name: str) -> About | None:
        return About(ours=True) if name.lower() in self._conventional else None

    # -- classes and names that stand for tables --

    def _read_classes(self) -> None:
        for node in self._tree.of(ast.ClassDef):
            about = self.about_table(self._table_of(node))
            if about is None:
                for base in node.bases:
                    if isinstance(base, ast.Name) and base.id in self._by_name:
                        about = self._by_name[base.id]
            if about is not None:
                self._classes[id(node)] = about
                self._by_name[node.name] = about

    def _table_of(self, node: ast.ClassDef, naming: frozenset[str] = _NAMING) -> str | None:
        for statement in node.body:
            if isinstance(statement, ast.ClassDef) and statement.name in _META:
                name = self._table_of(statement, _META[statement.name])
                if name is not None:
                    return name
            if isinstance(statement, ast.Assign):
                targets, value = statement.targets, statement.value
            elif isinstance(statement, ast.AnnAssign) and statement.value is not None:
                targets, value = [statement.target], statement.value
            else:
                continue
            if any(isinstance(t, ast.Name) and t.id in naming for t in targets):
                if isinstance(value, ast.Call) and called(value) in _TABLE_CALLS and value.args:
                    value = value.args[0]
                return self._strings.value(value)
        return None

    def _read_names(self) -> None:
        for node in self._tree.of(ast.Assign):
            value = node.value
            if not isinstance(value, ast.Call) or called(value) not in (
                "Table",
                "table",
                "aliased",
            ):
                continue
            about = self.chain(value)
            for target in node.targets:
                if about is not None and isinstance(target, ast.Name):
                    known = [self._by_name[target.id]] if target.id in self._by_name else []
                    self._by_name[target.id] = together([*known, about]) or about

    def _read_imported(self) -> None:
        """Models of other tables that are imported.

        Only what is stored like a row, comes from elsewhere than our model does and shares no word with our
        tables is believed to be one: it may be a form of our rows, or a class that inherits from our model.
        """
        imported = [
            (node.module or "", alias.asname or alias.name)
            for node in self._tree.of(ast.ImportFrom)
            for alias in node.names
        ]
        home = {module for module, name in imported if self._by_convention(name) is not None}
        strangers = {
            name
            for module, name in imported
            if module not in home and not self._resembles(name) and name not in self._by_name
        }
        if not home or not strangers:
            return
        for name in strangers & self._stored():
            self._by_name[name] = About(ours=False, because=f"a column of {name}")

    def _resembles(self, name: str) -> bool:
        lowered = name.lower()
        return not name[:1].isupper() or any(stem in lowered for stem in self._stems)

    def _stored(self) -> set[str]:
        """Names of classes whose objects are handed to a session, or that it is asked for."""
        found: set[str] = set()
        for call in self._tree.of(ast.Call):
            name = called(call)
            if name in _STORING:
                for argument in call.args:
                    made = [argument]
                    if isinstance(argument, ast.Name):
                        made = [b.value for b in self._names.bindings(argument) if b.value]
                    found |= {called(one) for one in made if isinstance(one, ast.Call)}
            elif name in _CHOOSING and isinstance(call.func, ast.Attribute | ast.Name):
                found |= {argument.id for argument in call.args if isinstance(argument, ast.Name)}
        return found

    # -- expressions --

    def chain(self, node: ast.expr | None) -> About | None:
        """What a chain of methods and attributes says by the models and tables that it begins with."""
        return together(self._links(node))

    def _links(self, node: ast.expr | None) -> Iterator[About]:
        for _ in range(_LONGEST_CHAIN):
            if isinstance(node, ast.Name):
                about = self._own(node) or self.about_name(node.id)
                if about is not None:
                    yield about
                return
            if isinstance(node, ast.Call):
                yield from self._called(node)
                node = node.func
            elif isinstance(node, ast.Subscript):
                key = self._strings.value(node.slice)
                if key is not None and self._strings.is_ours(key):
                    yield About(ours=True, certain=_is_database(node.value))
                node = node.value
            elif isinstance(node, ast.Attribute):
                about = self.about_name(node.attr) if node.attr in self._by_name else None
                if (
                    about is None
                    and node.attr.lower() in self._conventional
                    and node.attr[:1].isupper()
                ):
                    about = About(ours=True)
                if about is not None:
                    yield about
                    return
                node = node.value
            elif isinstance(node, ast.Await | ast.Starred):
                node = node.value
            else:
                return

    def _own(self, node: ast.Name) -> About | None:
        """What self says within a model."""
        if node.id not in ("self", "cls"):
            return None
        around = self._names.class_of(node)
        return None if around is None else self.about_class(around)

    def _called(self, node: ast.Call) -> Iterator[About]:
        name = called(node)
        number = _TABLE_CALLS.get(name, SCHEMA_CALLS.get(name, _BULK.get(name)))
        if number is not None:
            argument = _argument(node, number)
            table = self._strings.value(argument)
            about = self.about_table(table) if table != self._column else None
            if about is None and isinstance(argument, ast.Name):
                about = self._by_name.get(argument.id)
            if about is not None:
                yield about
        elif (handed := self.handed_table(node)) is not None:
            yield handed
        given = [self._strings.value(argument) for argument in node.args[number is not None :]]
        if any(text is not None and self._strings.is_ours(text) for text in given):
            yield About(ours=True)  # joined by its name, perhaps
        if name in _CHOOSING:
            for argument in node.args:
                if isinstance(argument, ast.Name | ast.Attribute | ast.Call):
                    yield from self._links(argument)

    def handed_table(self, node: ast.Call) -> About | None:
        """The table whose name a function is handed for its parameter ``table``."""
        name = called(node)
        known = name in self._positions
        given: list[ast.expr] = []
        if known:
            place = self._positions[name]
            given += node.args[place : place + 1]
        querying = any(word in name.lower() for word in _QUERYING)
        for word in node.keywords:
            if word.arg in _TABLE_PARAMETERS and (known or querying or word.arg != "table"):
                given.append(word.value)
        tables = [self._strings.value(argument) for argument in given]
        names = [t for t in tables if t and t != self._column and is_name(t)]
        return together(about for t in names if (about := self.about_table(t)) is not None)

    def schema_change(self, node: ast.Call) -> About | None:
        """What a call says that changes a table's definition, or makes one."""
        name = called(node)
        if name == "CreateModel":
            return self._created_model(node)
        if name in ("AddField", "RemoveField", "AlterField", "RenameField"):
            given = [word.value for word in node.keywords if word.arg == "model_name"]
            model = self._strings.value(next(iter([*given, *node.args]), None))
            return self._by_convention(model) if model else None
        number = SCHEMA_CALLS.get(name, _TABLE_CALLS.get(name, _BULK.get(name)))
        if number is None:
            return None
        argument = _argument(node, number)
        if isinstance(argument, ast.Name) and (about := self._by_name.get(argument.id)) is not None:
            return about
        table = self._strings.value(argument)
        # batch.drop_column("data_type"): the table is that of the receiver.
        return None if table == self._column else self.about_table(table)

    def _created_model(self, node: ast.Call) -> About | None:
        given = {word.arg: word.value for word in node.keywords}
        options = given.get("options")
        if isinstance(options, ast.Dict):
            for key, value in zip(options.keys, options.values, strict=True):
                if isinstance(key, ast.Constant) and key.value == "db_table":
                    return self.about_table(self._strings.value(value))
        name = self._strings.value(node.args[0] if node.args else given.get("name"))
        return self._by_convention(name) if name else None


def _table_positions(tree: Tree) -> Iterator[tuple[str, int]]:
    """Functions and classes of the file that take a table's name, and which argument that is."""
    for function in tree.functions():
        parent = tree.parent(function)
        name, first = function.name, 0
        if isinstance(parent, ast.ClassDef):
            static = any(
                isinstance(d, ast.Name) and d.id == "staticmethod" for d in function.decorator_list
            )
            name, first = (parent.name if name == "__init__" else name), 0 if static else 1
        parameters = [a.arg for a in (*function.args.posonlyargs, *function.args.args)]
        for number, parameter in enumerate(parameters[first:]):
            if parameter in _TABLE_PARAMETERS:
                yield name, number
                break


def _argument(node: ast.Call, number: int) -> ast.expr | None:
    if number < len(node.args):
        return node.args[number]
    return next((word.value for word in node.keywords if word.arg == "table_name"), None)


def _is_database(node: ast.expr) -> bool:
    """Whether what is subscripted has tables for its items, rather than whatever."""
    name = (dotted(node) or "").rpartition(".")[2]
    return name in ("db", "database", "dataset", "tables")


def model_names(table: str) -> Iterator[str]:
    """What classes of a table are called, in lower case and without underscores: entityfact, entityfacts."""
    whole = table.replace("_", "").lower()
    yield whole
    if whole.endswith("ies"):
        yield whole[:-3] + "y"
    elif whole.endswith("s"):
        yield whole[:-1]
    parts = [part[:-1] if part.endswith("s") else part for part in table.lower().split("_")]
    yield "".join(parts)
