-- Takes the lock under which columns are dropped, or views replaced. Slots: relation.
-- Locks: ACCESS EXCLUSIVE.
LOCK TABLE {relation} IN ACCESS EXCLUSIVE MODE
