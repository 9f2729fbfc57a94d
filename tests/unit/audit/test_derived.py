"""Which relations texts make from the table."""

from __future__ import annotations

import pytest

from memory_maintenance.audit.derived import definitions_in, derived_from

TABLES = frozenset({"entity_facts"})


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("CREATE VIEW v AS SELECT id FROM entity_facts;", {"v"}),
        ("create or replace view s.v (a) as select x from public.entity_facts", {"v"}),
        ('CREATE MATERIALIZED VIEW IF NOT EXISTS "V w" AS TABLE entity_facts', {"V w"}),
        ("CREATE TABLE t AS SELECT * FROM a JOIN entity_facts USING (id)", {"t"}),
        ("CREATE TABLE t (LIKE entity_facts INCLUDING ALL)", {"t"}),
        ("CREATE TABLE t PARTITION OF entity_facts DEFAULT", {"t"}),
        ("SELECT id INTO TABLE t FROM entity_facts", {"t"}),
        ('run("CREATE VIEW v AS "\n    "SELECT id FROM entity_facts")', {"v"}),
        ("q = '''CREATE VIEW v AS\nSELECT id FROM entity_facts'''", {"v"}),
        ('run("CREATE VIEW v AS SELECT 1 FROM sensors"); x("SELECT 1 FROM entity_facts")', set()),
        ("CREATE VIEW v AS SELECT id FROM sensors; -- FROM entity_facts", set()),
        ("CREATE VIEW v AS SELECT id FROM sensors /* FROM entity_facts */", set()),
        ("CREATE VIEW v AS SELECT 'FROM entity_facts' FROM sensors", set()),
        ("CREATE TABLE entity_facts (id int)", set()),
        ("CREATE VIEW w AS SELECT 1 FROM v; CREATE VIEW v AS SELECT 1 FROM entity_facts", {"v", "w"}),
    ],
)  # fmt: skip
def test_what_is_made_of_the_table_is_known(text: str, names: set[str]) -> None:
    assert derived_from(TABLES, definitions_in(text)) == names


def test_a_temporary_one_is_told_apart() -> None:
    (found,) = definitions_in("CREATE TEMP TABLE t AS SELECT 1 FROM entity_facts")
    assert (found.name, found.temporary) == ("t", True)
