-- Locks a view and changes nothing, its owner being that already. LOCK TABLE would lock all that the view
-- reads as well, tables of others among them.
-- Slots: view, owner. Locks: ACCESS EXCLUSIVE on the view, to the end of the transaction.
ALTER VIEW {view} OWNER TO {owner}
