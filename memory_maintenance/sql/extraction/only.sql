-- The one fact that was found, held against other writers to the end of the transaction. A fragment.
-- Parameters: fact: its key. Slots: key; key_type.
AND f.{key} = %(fact)s::{key_type}
FOR NO KEY UPDATE OF f
