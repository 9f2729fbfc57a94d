"""Which table a call of a query builder or a mapper is about, in JavaScript."""

from __future__ import annotations

from dataclasses import dataclass, field

from tree_sitter import Node

from memory_maintenance.audit.candidate import Kind
from memory_maintenance.audit.languages.javascript_texts import LITERALS, Binding, Texts, unwrapped
from memory_maintenance.audit.languages.scopes import Evidence, Scope
from memory_maintenance.audit.languages.trees import Twig
from memory_maintenance.audit.subject import Subject

DEFINING = frozenset(
    {"pgTable", "mysqlTable", "sqliteTable", "define", "createTable", "createTableIfNotExists"}
    | {
        "alterTable",
        "table",
        "changeTable",
        "addColumn",
        "addColumns",
        "removeColumn",
        "dropColumn",
    }
    | {"dropColumns", "renameColumn", "alterColumn", "changeColumn", "createIndex", "addIndex"}
    | {"dropIndex", "addConstraint", "dropConstraint", "pgView", "addColumnIfNotExists", "init"}
)
"""Calls whose first argument is a table, or that stand on one, and that define columns of it."""

_FROM = frozenset(
    {"from", "into", "table", "selectFrom", "insertInto", "updateTable", "deleteFrom", "mergeInto"}
    | {"replaceInto", "getRepository", "createQueryBuilder", "model", "fromTable"}
    | {"getCustomRepository", "collection"}
)
_CHANGING = frozenset({"insert", "update", "delete"})
_NAMING_QUERIES = frozenset({"with", "withRecursive", "withMaterialized", "$with"})
_JOINING = frozenset(
    {"join", "innerJoin", "leftJoin", "leftOuterJoin", "rightJoin", "rightOuterJoin", "fullJoin"}
    | {"fullOuterJoin", "crossJoin", "leftJoinAndSelect", "innerJoinAndSelect"}
)
_CONNECTIONS = frozenset(
    {
        "builder",
        "conn",
        "connection",
        "database",
        "db",
        "knex",
        "pg",
        "qb",
        "query",
        "sql",
        "trx",
        "tx",
    }
)
_NO_TABLES = frozenset({"path", "Array", "Buffer", "Object", "Set", "Map", "url", "crypto"})
_BUILDING = frozenset(
    {"select", "where", "insert", "update", "del", "delete", "first", "join", "leftJoin", "count"}
    | {
        "whereIn",
        "whereNot",
        "whereNull",
        "whereNotNull",
        "orderBy",
        "groupBy",
        "pluck",
        "returning",
    }
    | {"andWhere", "orWhere", "whereRaw", "innerJoin", "distinct", "truncate", "columns", "column"}
    | {"min", "max", "sum", "avg", "increment", "upsert", "onConflict", "limit", "as", "whereNotIn"}
)
_PRISMA = frozenset(
    {"findMany", "findFirst", "findUnique", "findFirstOrThrow", "findUniqueOrThrow", "create"}
    | {
        "createMany",
        "createManyAndReturn",
        "update",
        "updateMany",
        "upsert",
        "delete",
        "deleteMany",
    }
    | {"count", "aggregate", "groupBy"}
)
_WRITING = frozenset(
    {
        "insert",
        "update",
        "set",
        "values",
        "create",
        "createMany",
        "save",
        "upsert",
        "build",
        "merge",
    }
    | {
        "bulkCreate",
        "insertMany",
        "batchInsert",
        "insertGraph",
        "patch",
        "updateMany",
        "doUpdateSet",
    }
    | {"insertAndFetch", "findOrCreate", "updateAttributes", "onConflictDoUpdate", "patchAndFetch"}
)
_READING_KEYS = frozenset(
    {"where", "select", "orderBy", "order", "attributes", "columns", "by", "distinct", "having"}
    | {"group", "relations", "groupBy", "with", "target", "omit", "returning"}
)
_WRITING_KEYS = frozenset({"data", "create", "update", "set", "values", "defaults"})
_NAMING_COLUMNS = _READING_KEYS | _WRITING_KEYS | {"fields", "row", "rows", "filter", "conditions"}
_NEUTRAL_KEYS = frozenset(
    {"AND", "OR", "NOT", "and", "or", "not", "_count", "_min", "_max", "Op", "cursor"}
)
_FUNCTIONS = frozenset({"arrow_function", "function_expression", "function", "method_definition"})
_WITH_CALLBACKS = frozenset(
    {"createTable", "alterTable", "table", "createTableIfNotExists", "changeTable", "where"}
    | {"andWhere", "orWhere", "modify", "select", "leftJoin", "join", "set"}
)
_LONGEST_CHAIN = 200


@dataclass(frozen=True, slots=True)
class Target:
    """The table that a place belongs to by a call. kind: what is done with its columns there.

    sure: it can't be meant otherwise.
    """

    evidence: Evidence
    kind: Kind
    sure: bool = True


@dataclass(slots=True)
class _Chain:
    """The calls of a chain, first to last, with their arguments; None for what is only looked up."""

    root: str = ""
    parts: list[tuple[str, list[Node] | None]] = field(default_factory=list)


class Tables:
    """Knows which names of a program stand for tables."""

    def __init__(self, subject: Subject, texts: Texts) -> None:
        self._subject = subject
        self._texts = texts
        self.types: dict[str, Evidence] = {}
        self._chains: dict[tuple[int, int], tuple[Evidence, dict[str, Evidence], bool]] = {}

    # -- names --

    def named(self, text: str) -> Evidence:
        """What a table's name says, with or without its schema and an alias."""
        words = text.replace('"', "").replace("`", "").split()
        if not words or len(words) > 3 or (len(words) == 3 and words[1].lower() != "as"):
            return Evidence()
        schema, _, name = words[0].lower().rpartition(".")
        if not all(part.isidentifier() for part in (*schema.split("."), name) if part) or not name:
            return Evidence()
        ours = schema not in ("information_schema", "pg_catalog") and any(
            table.name.lower() == name
            and (not table.schema or schema in ("", table.schema.lower()))
            for table in self._subject.tables
        )
        return Evidence(ours, "" if ours else f"a column of {words[0]}")

    def _camel(self, name: str) -> bool:
        """Whether a name is one of the tables' in camel case, or for a single row."""
        snake = "".join(f"_{c.lower()}" if c.isupper() else c for c in name).strip("_")
        return any(snake in (table, table.removesuffix("s")) for table in self._subject.table_names)

    def of(self, node: Node | None, scope: Scope) -> Evidence:
        """What an argument says that names a table: a text, a model, an array or an object with a name."""
        if node is None:
            return Evidence()
        node = unwrapped(node)
        if node.type == "identifier":
            model = self._model(node, scope)
            if model.known:
                return model
        if node.type == "object":
            return self._by_keys(node, scope)
        if node.type == "array":
            first = next(iter(node.named_children), None)
            if first is None or unwrapped(first).type == "array":
                return Evidence()
            return self.of(first, scope)
        text = self._texts.constant(node, scope)
        return self.named(text) if text else Evidence()

    def type_named(self, name: str) -> Evidence:
        """What is known of a type or class."""
        return self.types.get(name, Evidence())

    def _by_keys(self, node: Node, scope: Scope) -> Evidence:
        """{tableName: '...'}, {name: '...', schema: '...'}."""
        values = {
            self._texts.name_of(pair.child_by_field_name("key")): pair.child_by_field_name("value")
            for pair in node.named_children
            if pair.type == "pair"
        }
        for key in ("tableName", "name", "table", "tablename"):
            text = self._texts.constant(values.get(key), scope)
            if text:
                schema = self._texts.constant(values.get("schema"), scope)
                return self.named(f"{schema}.{text}" if schema else text)
        return Evidence()

    def _named_beside(self, node: Node, scope: Scope) -> Evidence:
        """{table: '...', columns: [...]}: the table of what the other keys say."""
        for pair in node.named_children:
            key = self._texts.name_of(pair.child_by_field_name("key"))
            if pair.type == "pair" and key in ("table", "tableName", "table_name"):
                text = self._texts.constant(pair.child_by_field_name("value"), scope)
                return self.named(text) if text else Evidence()
        return Evidence()

    def defined(self, node: Node | None, scope: Scope) -> Evidence:
        """The table of a model that an expression makes: pgTable('...'), define('...', {...})."""
        if node is None:
            return Evidence()
        node = unwrapped(node)
        if node.type != "call_expression":
            return Evidence()
        name, _, values = self._texts.call(node)
        if name not in DEFINING and not name.endswith("Table"):
            return self._repository(name, values, scope)
        if len(values) < 2 or unwrapped(values[0]).type == "object":
            return Evidence()
        options = unwrapped(values[2]) if len(values) > 2 else None
        if options is not None and options.type == "object":
            evidence = self._by_keys(options, scope)
            if evidence.known:
                return evidence
        return self.of(values[0], scope)

    def _repository(self, name: str, values: list[Node], scope: Scope) -> Evidence:
        if name in ("getRepository", "getCustomRepository") and values:
            return self.of(values[0], scope)
        return Evidence()

    def decorated(self, node: Node, scope: Scope) -> Evidence:
        """The table of a class by its decorators, its own fields or its base class."""
        holders = [node]
        if node.parent is not None and node.parent.type == "export_statement":
            holders.append(node.parent)
        for holder in holders:
            for child in holder.named_children:
                if child.type == "decorator" and child.named_child_count:
                    evidence = self._decorator(child.named_child(0), scope)
                    if evidence.known:
                        return evidence
        body = node.child_by_field_name("body")
        return self._table_name_field(body, scope) if body is not None else Evidence()

    def _decorator(self, node: Node, scope: Scope) -> Evidence:
        if node.type != "call_expression":
            return Evidence()
        name, _, values = self._texts.call(node)
        if name in ("Entity", "Table", "ViewEntity", "ChildEntity") and values:
            return self.of(values[0], scope)
        return Evidence()

    def _table_name_field(self, body: Node, scope: Scope) -> Evidence:
        """static tableName = '...', or a getter of that name."""
        for member in body.named_children:
            name = member.child_by_field_name("name") or member.child_by_field_name("property")
            if self._texts.name_of(name) not in ("tableName", "table"):
                continue
            value = member.child_by_field_name("value")
            getter = member.child_by_field_name("body")
            if value is None and getter is not None:
                for statement in getter.named_children:
                    if statement.type == "return_statement" and statement.named_child_count:
                        value = statement.named_child(0)
            return self.of(value, scope)
        return Evidence()

    # -- chains --

    def _chain(self, node: Node) -> _Chain:
        """The chain that ends with a node."""
        chain = _Chain()
        current: Node | None = node
        for _ in range(_LONGEST_CHAIN):
            if current is None:
                break
            current = unwrapped(current)
            if current.type == "call_expression":
                name, on, values = self._texts.call(current)
                chain.parts.append((name, values))
                if on is None:
                    break
                current = on
            elif current.type == "member_expression":
                key = self._texts.name_of(current.child_by_field_name("property"))
                chain.parts.append((key, None))
                current = current.child_by_field_name("object")
            elif current.type == "new_expression":
                made = self._texts.name_of(current.child_by_field_name("constructor"))
                given = current.child_by_field_name("arguments")
                chain.parts.append((made, given.named_children if given is not None else []))
                chain.root = made
                break
            else:
                chain.root = self._texts.name_of(current) if current.type == "identifier" else ""
                break
        chain.parts.reverse()
        return chain

    def of_chain(self, node: Node, scope: Scope) -> tuple[Evidence, dict[str, Evidence], bool]:
        """The table that a chain is about, what its aliases stand for, and whether that is sure."""
        key = node.start_byte, node.end_byte
        if key not in self._chains:
            self._chains[key] = self._read_chain(node, scope)
        return self._chains[key]

    def _read_chain(self, node: Node, scope: Scope) -> tuple[Evidence, dict[str, Evidence], bool]:
        chain = self._chain(node)
        aliases: dict[str, Evidence] = {}
        found = Evidence()
        queries: dict[str, Evidence] = {}
        guessed = False  # by the first argument of whatever begins the chain
        root = scope.find(chain.root) if chain.root else None
        if isinstance(root, Evidence):
            found = root
        elif chain.root:
            found = self.type_named(chain.root)
        names = [name for name, _ in chain.parts]
        parts = [] if chain.root in _NO_TABLES else chain.parts
        for i, (name, values) in enumerate(parts):
            if name == "createQueryBuilder" and values and len(values) == 1:
                aliases[(self._texts.constant(values[0], scope) or "").lower()] = found
                continue
            if name in _NAMING_QUERIES and values and len(values) > 1:
                self._name_query(values, scope, queries)
                continue
            evidence = self._part(i, name, values, names, scope)
            if evidence.other and name in _FROM and values:
                evidence = queries.get(self._texts.constant(values[0], scope) or "", evidence)
            if not evidence.known or (name in _JOINING and not found.known):
                continue
            _remember_alias(self._text(values, scope), evidence, aliases)
            weak = i == 0 and name not in _FROM
            if not found.known or (guessed and name in _FROM):
                found, guessed = evidence, weak
        if found.known:
            joined = len({evidence.ours for evidence in aliases.values()}) > 1
            return found, aliases, not joined and not queries
        return self._prisma_chain(chain, aliases)

    def _name_query(self, values: list[Node], scope: Scope, queries: dict[str, Evidence]) -> None:
        """with('x', ...): of what is called x the chain may select later."""
        name = self._texts.constant(values[0], scope)
        inner = b"".join(value.text or b"" for value in values[1:]).decode(errors="replace")
        if name and self._subject.table_word.search(inner):
            queries[name] = Evidence(ours=True)

    def _text(self, values: list[Node] | None, scope: Scope) -> str:
        if not values:
            return ""
        first = self._texts.constant(values[0], scope) if _literal(values[0]) else None
        second = (
            self._texts.constant(values[1], scope)
            if len(values) > 1 and _literal(values[1])
            else None
        )
        if first and " " not in first and second and second.isidentifier():
            return f"{first} {second}"  # TypeORM's from('table', 'alias')
        return first or ""

    def _part(
        self, i: int, name: str, values: list[Node] | None, names: list[str], scope: Scope
    ) -> Evidence:
        """What one call of a chain says of its table."""
        if not values:
            return self._looked_up(name, scope) if values is None else Evidence()
        first = unwrapped(values[0])
        if name in _CHANGING:
            return self._model(first, scope) if first.type == "identifier" else Evidence()
        if name in _FROM or name in _JOINING:
            return self.of(first, scope) if first.type != "object" else Evidence()
        named = _literal(first) or first.type in ("identifier", "member_expression")
        begins = i == 0 and len(values) <= 2 and name not in _BUILDING
        if named and begins and any(later in _BUILDING for later in names[1:]):
            evidence = self.of(first, scope)
            # get('user').where(...): what isn't called like a connection may take any word.
            known = evidence.ours or name.lower() in _CONNECTIONS or name[:1].isupper()
            return evidence if known or first.type != "string" else Evidence()
        return Evidence()

    def _looked_up(self, name: str, scope: Scope) -> Evidence:
        """this.facts, db.query.facts: a field of a known type, a model of that name."""
        bound = scope.find(name)
        if isinstance(bound, Evidence):
            return bound
        bound = scope.find(f"this.{name}")
        return self.typed(bound) if isinstance(bound, Binding) else Evidence()

    def typed(self, binding: Binding) -> Evidence:
        """What is known of the type of a name."""
        for name in binding.typed:
            evidence = self.type_named(name)
            if evidence.known:
                return evidence
        return Evidence()

    def _model(self, node: Node, scope: Scope) -> Evidence:
        name = self._texts.name_of(node)
        model = scope.find(name)
        return model if isinstance(model, Evidence) else self.type_named(name)

    def _prisma_chain(
        self, chain: _Chain, aliases: dict[str, Evidence]
    ) -> tuple[Evidence, dict[str, Evidence], bool]:
        """prisma.entity_facts.findMany(...)."""
        for i, (name, values) in enumerate(chain.parts):
            if name in _PRISMA and values is not None and i and chain.parts[i - 1][1] is None:
                model = chain.parts[i - 1][0]
                evidence = self.named(model)
                if not evidence.ours and self._camel(model):
                    return Evidence(ours=True), aliases, False
                client = chain.root or "this"
                if evidence.ours or client in ("prisma", "tx", "db", "client", "this"):
                    return evidence, aliases, evidence.ours or client == "prisma"
        return Evidence(), aliases, False

    def target(self, twig: Twig, *, qualifier: str = "", key: bool = False) -> Target | None:
        """The table that a string or a key in the arguments of a call belongs to, by that call.

        qualifier: what stands before its name and a dot. key: it is the key of an object.
        """
        keys: list[str] = []
        foreign = False
        below = twig
        for above in twig.above():
            if above.type == "pair" and below.field == "value":
                keys.append(self._texts.name_of(above.node.child_by_field_name("key")))
            elif above.type == "object" and keys and keys[-1] in _NAMING_COLUMNS:
                beside = self._named_beside(above.node, twig.scope)
                if beside.known:
                    return Target(beside, _kind("", keys, key=key), sure=bool(beside.other))
            elif self._ends_call(above):
                return None
            elif above.type == "new_expression" and below.field == "arguments":
                made = self.of(above.node.child_by_field_name("constructor"), twig.scope)
                if made.known:
                    return Target(made, Kind.WRITE if key else Kind.READ, not foreign)
                foreign = True
            elif above.type == "call_expression" and below.field == "arguments":
                found = self._call_target(above, twig, qualifier, keys, key=key, foreign=foreign)
                if found is not None:
                    return found
                foreign = True
            below = above
        return None

    def _ends_call(self, above: Twig) -> bool:
        """Whether what stands in a node is none of the business of a call around it."""
        if above.type in _FUNCTIONS:
            return not self._handed_over(above)
        return above.type in ("class_declaration", "class")

    def _handed_over(self, function: Twig) -> bool:
        """Whether a function is an argument of a call that builds a query or a table."""
        arguments = function.parent
        call = arguments.parent if arguments is not None else None
        if call is None or call.type != "call_expression":
            return False
        return self._texts.call(call.node)[0] in _WITH_CALLBACKS

    def _call_target(
        self,
        call: Twig,
        twig: Twig,
        qualifier: str,
        keys: list[str],
        *,
        key: bool,
        foreign: bool,
    ) -> Target | None:
        name, on, values = self._texts.call(call.node)
        inside = (
            name != "init"
            and bool(values)
            and values[0].start_byte <= twig.start < values[0].end_byte
        )
        if name == "hasColumn" and not inside:
            own = self.of(values[0], twig.scope)
            return Target(own, Kind.READ) if own.known else None
        if (name in DEFINING or name.endswith("Table")) and not inside:
            own = self._own_table(call.node, name, on, values, twig.scope)
            if own.known:
                return Target(own, Kind.DEFINITION)
        evidence, aliases, sure = self.of_chain(_top(call).node, twig.scope)
        if qualifier and evidence.known:
            evidence = aliases.get(qualifier.lower(), self.named(qualifier))
            ours = qualifier.lower() in self._subject.table_names
            if not aliases.get(qualifier.lower()) and not ours:
                return None
            sure = True
        if not evidence.known:
            return None
        direct = all(
            part in _READING_KEYS | _WRITING_KEYS | _NEUTRAL_KEYS or not part.isidentifier()
            for part in keys[:-1] + ([] if key else keys[-1:])
        )
        kind = _kind(name, keys, key=key)
        if key and (foreign or not direct or _deep(keys)):
            return Target(evidence, kind, sure=False)
        return Target(evidence, kind, sure)

    def _own_table(
        self, node: Node, name: str, on: Node | None, values: list[Node], scope: Scope
    ) -> Evidence:
        if name == "init":
            options = unwrapped(values[1]) if len(values) > 1 else None
            if options is not None and options.type == "object":
                return self._by_keys(options, scope)
            return self.of(on, scope) if on is not None else Evidence()
        made = self.defined(node, scope)
        if made.known:
            return made
        return self.of(values[0], scope) if values and _literal(values[0]) else Evidence()


def _deep(keys: list[str]) -> bool:
    """Whether keys lead through a relation to some other table."""
    return any(key in ("include", "some", "every", "none", "is", "isNot") for key in keys)


def _remember_alias(text: str, evidence: Evidence, aliases: dict[str, Evidence]) -> None:
    words = text.replace('"', "").split()
    if words:
        aliases[words[-1].lower()] = evidence
        aliases.setdefault(words[0].lower().rpartition(".")[2], evidence)


def _literal(node: Node) -> bool:
    return unwrapped(node).type in LITERALS


def _top(call: Twig) -> Twig:
    """The whole chain that a call is a link of."""
    top = call
    links = {"member_expression": "object", "call_expression": "function"}
    for above in call.above():
        if links.get(above.type) != top.field:
            break
        top = above
    return top


def _kind(name: str, keys: list[str], *, key: bool) -> Kind:
    """What a call does with a column that stands in its arguments, under those keys, the inner first."""
    for part in keys:
        if part in _READING_KEYS:
            return Kind.READ
        if part in _WRITING_KEYS:
            return Kind.WRITE
    if name in DEFINING:
        return Kind.DEFINITION
    return Kind.WRITE if name in _WRITING and key else Kind.READ
