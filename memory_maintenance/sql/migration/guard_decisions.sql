-- The guard that refuses to change a decision that is not to be reopened (spec 6). The server reads a WHEN anew for each
-- statement: this one is short, and the function sees whether the decision is such a one.
-- Slots: facts, name; columns: that a statement must name, or nothing; decided: whether OLD is a decision; key: a name;
-- paths, type_map: JSON; digest. Locks: SHARE ROW EXCLUSIVE, briefly.
CREATE TRIGGER {name} BEFORE UPDATE {columns} ON {facts}
FOR EACH ROW WHEN ({decided})
EXECUTE FUNCTION memory_maintenance.refuse_reopening ({key}, {paths}, {type_map}, {digest})
