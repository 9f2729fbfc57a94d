-- Puts a constraint back. Slots: facts, name; definition: as PostgreSQL gave it, with NOT VALID where that keeps
-- it from scanning. Locks: ACCESS EXCLUSIVE, briefly, of a CHECK; SHARE ROW EXCLUSIVE of a foreign key.
ALTER TABLE {facts} ADD CONSTRAINT {name} {definition}
