-- All decisions. Slots: state; key. Result: decisions/state, in the order of keys. Locks: none.
{state}
WHERE f.category::text = 'decision'::text
ORDER BY f.{key}
