-- The key that a text c.source names; NULL where that can't be one. A fragment.
-- Slots: key_type; form: a regular expression for what may be a key; fits: whether it is within the key's type.
CASE WHEN c.source ~ {form} THEN CASE WHEN {fits} THEN c.source::{key_type} END END
