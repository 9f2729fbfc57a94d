-- The guard that refuses to delete a decision that is not to be reopened (spec 6). At the end of the statement, when a
-- row that was only moved to another partition is there again; SET CONSTRAINTS ... DEFERRED makes it that of the transaction.
-- Slots: facts, name; protected: a condition on OLD; key: a name; paths, type_map: JSON; digest.
-- Locks: SHARE ROW EXCLUSIVE, briefly.
CREATE CONSTRAINT TRIGGER {name} AFTER DELETE ON {facts}
DEFERRABLE INITIALLY IMMEDIATE
FOR EACH ROW WHEN ({protected})
EXECUTE FUNCTION memory_maintenance.refuse_deletion ({key}, {paths}, {type_map}, {digest})
