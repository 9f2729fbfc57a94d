-- The deadline of a change. A fragment. Result: timestamptz.
(l.change ->> 'deadline'::text)::timestamptz
