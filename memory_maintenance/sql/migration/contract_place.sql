-- Which of the rows a row is that a table without a key can't tell apart: those of equal digest, counted by
-- their axes. Rows with equal axes, too, differ in the old value alone, and may have each other's.
-- An expression on f, over the whole table. Slots: row_key: of f, text. Locks: none.
pg_catalog.row_number() OVER (
    PARTITION BY {row_key}
    ORDER BY f.durability::text COLLATE "C", f.category::text COLLATE "C", f.ctid
)
