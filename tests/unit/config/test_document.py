"""YAML's traps, each closed: what is text, what is refused, and that nothing explodes."""

from __future__ import annotations

import time

import pytest

from memory_maintenance.config.document import (
    MAX_BYTES,
    MAX_PROBLEMS,
    Branch,
    Document,
    Items,
    Leaf,
    Node,
    dotted,
    read_document,
)


def read(text: str | bytes) -> Document:
    return read_document(text.encode() if isinstance(text, str) else text, "a.yaml")


def value(text: str) -> object:
    document = read(f"key: {text}\n")
    assert document.problems == ()
    return plain(document.root.nodes["key"])


def plain(node: Node) -> object:
    match node:
        case Leaf():
            return node.value
        case Items():
            return [plain(n) for n in node.nodes]
        case Branch():
            return {k: plain(n) for k, n in node.nodes.items()}


def only_problem(text: str | bytes) -> str:
    (problem,) = read(text).problems
    return str(problem)


@pytest.mark.parametrize("text", ["no", "on", "yes", "off", "y", "NO", "1:30", "2024-01-01"])
def test_what_older_yaml_converts_is_text(text: str) -> None:
    assert value(text) == text


@pytest.mark.parametrize("text", ["0o17", "0x1F", "017", "1_000", "+", ".", "1e", "0b1", "1__0"])
def test_what_only_resembles_a_number_is_text(text: str) -> None:
    assert value(text) == text


@pytest.mark.parametrize(
    ("text", "meaning"),
    [
        ("8", 8), ("-1", -1), ("+2", 2), ("0", 0), ("0.5", 0.5), (".5", 0.5), ("1e-3", 0.001),
        ("1.", 1.0), ("null", None), ("~", None), ("", None), ("true", True), ("False", False),
        ("'8'", "8"), ('"null"', "null"), ("[a, 1]", ["a", 1]), ("{a: 1}", {"a": 1}),
    ],
)  # fmt: skip
def test_values_are_those_of_yaml_1_2(text: str, meaning: object) -> None:
    found = value(text)
    assert found == meaning
    assert type(found) is type(meaning)


@pytest.mark.parametrize("text", [".nan", ".NaN", ".inf", "-.inf", "+.INF", "1e999", "-1e999"])
def test_a_number_is_finite(text: str) -> None:
    assert "number" in only_problem(f"key: {text}\n")


def test_keys_are_names_whatever_they_look_like() -> None:
    document = read("no: 1\non: 2\n123: 3\ntrue: 4\n1.5: 5\n~: 6\n'null': 7\n")
    assert document.problems == ()
    assert list(document.root.nodes) == ["no", "on", "123", "true", "1.5", None, "null"]


@pytest.mark.parametrize(
    ("first", "second"), [("a", "a"), ("a", "'a'"), ("no", '"no"'), ("null", "~"), ("~", "NULL")]
)
def test_a_key_given_twice_is_refused_however_it_is_spelt(first: str, second: str) -> None:
    (problem,) = read(f"x:\n  {first}: 1\n  {second}: 2\n").problems
    assert problem.line == 3
    assert problem.seen == "given twice (first on line 2)"


def test_a_fault_does_not_hide_the_next_one() -> None:
    document = read("a: .nan\nb: 1\nb: 2\nc: !!int 3\nd: [.inf, 1]\ne: 5\n")
    assert [p.line for p in document.problems] == [1, 3, 4, 5]
    assert set(document.root.nodes) == {"b", "e"}


def test_each_value_keeps_the_line_of_its_key() -> None:
    root = read("# comment\na:\n  b: >\n    folded\n    text\n  c:\n    - 1\n    - 2\n").root
    a = root.nodes["a"]
    assert isinstance(a, Branch)
    c = a.nodes["c"]
    assert isinstance(c, Items)
    assert (a.origin.line, a.nodes["b"].origin.line, c.origin.line) == (2, 3, 6)
    assert [n.origin.line for n in c.nodes] == [7, 8]


def test_billions_of_laughs_stay_unheard() -> None:
    lines = ["a0: &a0 [ha, ha]"]
    lines += [f"a{i}: &a{i} [*a{i - 1}, *a{i - 1}, *a{i - 1}]" for i in range(1, 30)]
    started = time.process_time()
    document = read("\n".join(lines))
    assert time.process_time() - started < 2
    assert "aliases aren't read" in str(document.problems[0])


@pytest.mark.parametrize(
    "text", ["[" * 10_000, "{a: " * 10_000, "a: " + "[" * 10_000 + "]" * 10_000]
)
def test_deep_nesting_is_a_fault_and_no_recursion(text: str) -> None:
    assert "this deeply nested" in only_problem(text)


def test_keys_nested_in_keys_are_a_fault_and_no_recursion() -> None:
    assert "a key is a name" in only_problem("? " * 10_000)


def test_a_file_of_a_hundred_thousand_faults_is_given_up() -> None:
    problems = read("a: 1\n" * 100_000).problems
    assert len(problems) == MAX_PROBLEMS + 1
    assert "this is another file" in str(problems[-1])


def test_a_large_file_is_refused_unread() -> None:
    assert "at most 1 MiB" in only_problem(b"#" * (MAX_BYTES + 1))
    assert read(b"#" * MAX_BYTES).problems == ()


@pytest.mark.parametrize(
    ("text", "advice"),
    [
        ("a: !!python/object/apply:os.system ['true']", "tags (!...) aren't read"),
        ("a: !!str 3", "tags (!...) aren't read"),
        ("a: ! x", "tags (!...) aren't read"),
        ("a: {<<: {b: 1}}", "write out what it stands for"),
        ("? [a, b]\n: 1", "a key is a name"),
        ("? {a: b}\n: 1", "a key is a name"),
        ("a: 1\n---\nb: 2", "a second document starts here"),
        ("- a\n- b", "a configuration has keys"),
        ("just text", "a configuration has keys"),
        ("a:\n\tb: 1", "YAML isn't indented with tabs"),
        ("a: b: c", "a colon is out of place"),
        ("a: 'b", "a quote isn't closed"),
        ("a: [1, 2", "a bracket isn't closed"),
        ("a: @b", "needs quotes"),
        ('a: "\\q"', "backslash"),
        ("a: 1\n b: 2", "syntax is not valid"),
        ("a: x\0", "control character"),
        (b"a: \xe9", "isn't UTF-8"),
        ("a: b".encode("utf-16"), "UTF-16"),
    ],
)
def test_what_is_no_plain_yaml_is_refused_with_advice(text: str | bytes, advice: str) -> None:
    assert advice in only_problem(text)


def test_a_byte_order_mark_is_no_fault() -> None:
    assert read(b"\xef\xbb\xbfa: 1\n") == read(b"a: 1\n")


@pytest.mark.parametrize("text", ["", "\n", "# only a comment\n", "---\n", "~\n", "---\n...\n"])
def test_an_empty_file_is_an_empty_tree(text: str) -> None:
    document = read(text)
    assert document.problems == ()
    assert document.root.nodes == {}


@pytest.mark.parametrize(
    "line",
    [
        "dsn: !hunter2! x", "dsn: %hunter2", "dsn: 'hunter2", "dsn: &hunter2! x", "dsn: *hunter2",
        "dsn: @hunter2", "dsn: postgres://hunter2: x", "dsn: !<hunter2> x",
        'dsn: "\\hunter2"', "dsn: [hunter2", "? hunter2=x", "dsn: `hunter2`",
        "postgres://hunter2@h: x", "dsn: hunter2\n password=hunter2: x",
    ],
)  # fmt: skip
def test_no_message_quotes_the_file(line: str) -> None:
    for problem in read(f"database:\n  {line}\n").problems:
        assert "hunter2" not in str(problem)


def test_paths_are_written_so_that_they_can_be_told_apart() -> None:
    assert dotted(("category", "mood", "half_life")) == "category.mood.half_life"
    assert dotted(("category", "a.b")) == 'category."a.b"'
    assert dotted(("data_type", None)) == "data_type.null"
    assert dotted(("data_type", "null")) == 'data_type."null"'
    assert dotted(("run", 1)) == "run[1]"
    assert dotted(("a", "\x1b[31m")) == 'a."\\x1b[31m"'
    assert dotted(("database", "postgres://u:p@h")) == "database.(hidden)"
