-- Sets members of a fact's data; what else it holds stays. A JSON null is no object.
-- Parameters: fact: the key; members: a JSON object. Slots: facts; key; key_type; document: the column as jsonb; type: that of the
-- column. Result: key. Locks: the row's.
UPDATE {facts} AS f
SET data = (
        CASE WHEN pg_catalog.jsonb_typeof({document}) = 'object'::text THEN {document} ELSE '{{}}'::jsonb END
        || %(members)s::jsonb
    )::{type}
WHERE f.{key} = %(fact)s::{key_type}
RETURNING f.{key} AS key
