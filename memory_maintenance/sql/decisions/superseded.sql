-- Whether there is a decision that supersedes a fact f, each naming the other (spec 6). A fragment.
-- Slots: facts; key; key_type; named: the text of data.superseded_by; form: a regular expression for what may be a key;
-- fits: whether named is within the key's type; newer: the column data of a fact n as jsonb.
EXISTS (
    SELECT
    FROM {facts} AS n
    WHERE n.{key} = CASE WHEN {named} ~ {form} THEN CASE WHEN {fits} THEN ({named})::{key_type} END END
        AND n.{key} <> f.{key}
        AND n.category::text = 'decision'::text
        AND {newer} ->> 'supersedes'::text = f.{key}::text
)
