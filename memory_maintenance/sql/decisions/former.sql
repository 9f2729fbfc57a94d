-- The fact that a new one supersedes. A fragment. Parameters: fact: its key. Slots: facts; key; key_type.
FROM {facts} AS o
WHERE o.{key} = %(fact)s::{key_type}
