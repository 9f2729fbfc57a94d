-- The text of a fact that a query is compared with: its key, words apart, and its value. A fragment.
-- Slots: name: the column key as text; value: as text.
pg_catalog.concat_ws(' '::text, pg_catalog.translate({name}, '_-.'::text, '   '::text), {value})
