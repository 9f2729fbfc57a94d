-- The deadline of a change, for a column without a zone (spec 3). A fragment. Parameters: zone. Result: timestamp.
pg_catalog.timezone(%(zone)s::text, (l.change ->> 'deadline'::text)::timestamptz)
