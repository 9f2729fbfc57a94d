-- Facts that are probably not what they are classified as. A fragment, for report/by_kind.
-- Parameters: as_of; zone; trait_keys, trait_values: regular expressions; unconfirmed_s: seconds, from which on a permanent fact should have been
-- confirmed. Slots: facts; key; name: the column key as text; value: as text; learned_at, last_confirmed_at: timestamptz expressions;
-- confirmable: whether the table has last_confirmed_at. Result: kind, key. Locks: none.
SELECT
    CASE
        WHEN {name} ~* %(trait_keys)s::text THEN 'mood_key_of_a_trait'::text
        ELSE 'mood_value_of_a_trait'::text
    END AS kind,
    f.{key} AS key
FROM {facts} AS f
WHERE f.category::text = 'mood'::text
    AND ({name} ~* %(trait_keys)s::text OR {value} ~* %(trait_values)s::text)
UNION ALL
SELECT 'permanent_never_confirmed'::text, f.{key}
FROM {facts} AS f
WHERE {confirmable}
    AND f.durability::text = 'permanent'::text
    AND {learned_at} < %(as_of)s::timestamptz - %(unconfirmed_s)s::float8 * '1 second'::interval
    AND ({last_confirmed_at} IS NULL OR {last_confirmed_at} <= {learned_at})
