-- In the order of keys. A fragment. Slots: key.
ORDER BY f.{key}
