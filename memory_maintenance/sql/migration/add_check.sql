-- Adds a CHECK that binds new rows at once and old ones once it is validated: no scan under this lock.
-- Slots: facts, name, condition. Locks: ACCESS EXCLUSIVE, briefly.
ALTER TABLE {facts} ADD CONSTRAINT {name} CHECK ({condition}) NOT VALID
