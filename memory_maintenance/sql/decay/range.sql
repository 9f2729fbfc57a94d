-- The rows of a key range, both ends included, as decay examines them. A fragment for the slot rows.
-- Parameters: first_key, last_key. Slots: reading, key, key_type.
({reading}
    WHERE f.{key} >= %(first_key)s::{key_type} AND f.{key} <= %(last_key)s::{key_type}
    OFFSET 0)
