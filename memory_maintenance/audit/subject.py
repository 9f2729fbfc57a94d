"""What an audit looks for: a column of one or more tables, and what replaces it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property

from memory_maintenance.model.mapping import TypeMap


@dataclass(frozen=True, slots=True)
class TableName:
    """A table as the operator names it. schema: "" stands for any but the catalogs."""

    schema: str
    name: str

    def __str__(self) -> str:
        return f"{self.schema}.{self.name}" if self.schema else self.name


@dataclass(frozen=True)
class Subject:
    """The column that is looked for, and its tables.

    types: the map of old values to the axes, from which suggestions are made; None where the column is
    another one, for which nothing is known.
    """

    column: str
    tables: tuple[TableName, ...]
    types: TypeMap | None = None

    @cached_property
    def table_names(self) -> frozenset[str]:
        """The names of the tables, without schemas."""
        return frozenset(table.name for table in self.tables)

    @cached_property
    def label(self) -> str:
        """The first table, which the others belong to."""
        return str(self.tables[0])

    @cached_property
    def column_word(self) -> re.Pattern[str]:
        """Finds the column's name as a word, in whatever case, and not as a part of another."""
        return re.compile(rf"(?<![\w$]){re.escape(self.column)}(?![\w$])", re.IGNORECASE)

    @cached_property
    def table_word(self) -> re.Pattern[str]:
        """Finds a table's name as a word, likewise."""
        names = "|".join(
            re.escape(name) for name in sorted(self.table_names, key=len, reverse=True)
        )
        return re.compile(rf"(?<![\w$])(?:{names})(?![\w$])", re.IGNORECASE)

    @cached_property
    def belongings(self) -> re.Pattern[str]:
        """Finds the names that habit gives to what hangs on the column: chk_data_type, and so on."""
        column = re.escape(self.column)
        return re.compile(
            rf"(?<![\w$])(?:(?:chk|ck|check|idx|ix|index|fk|uq|trg|con)_(?:\w+_)?{column}"
            rf"|\w+_{column}_(?:idx|check|key|fkey|not_null))(?![\w$])",
            re.IGNORECASE,
        )
