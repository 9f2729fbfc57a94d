-- The deadline of a fact that has none but would be given one (spec 5), for a dry run. A fragment.
-- Parameters: deadlines: a JSON object of instants by key. Slots: expires: the column, a timestamptz; key.
-- Result: timestamptz.
coalesce({expires}, (%(deadlines)s::jsonb ->> f.{key}::text)::timestamptz)
