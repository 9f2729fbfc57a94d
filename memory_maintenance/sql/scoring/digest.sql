-- What a model was told of a fact, in short: it differs as soon as any of that does. A fragment.
-- Slots: name: the column key as text; value: as text. Result: text.
pg_catalog.encode(
    pg_catalog.sha256(
        pg_catalog.convert_to(
            pg_catalog.json_build_array({name}, {value}, f.category::text, f.durability::text)::text, 'UTF8'::name
        )
    ),
    'hex'::text
)
