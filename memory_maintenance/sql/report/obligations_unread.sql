-- Obligations without a deadline, some at a time, for theirs to be read from their text.
-- Parameters: those of obligations/state; after: the key before, NULL for none; rows. Slots: state: the fragment obligations/state; key; key_type;
-- expires: a timestamptz expression. Result: obligations/state, by key. Locks: none.
{state}
WHERE f.category::text = 'obligation'::text
    AND {expires} IS NULL
    AND (%(after)s::{key_type} IS NULL OR f.{key} > %(after)s::{key_type})
ORDER BY f.{key}
LIMIT %(rows)s::int8
