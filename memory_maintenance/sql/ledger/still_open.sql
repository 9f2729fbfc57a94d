-- Whether a run's row is still its own to close: neither lost nor closed as dead by another run.
-- Parameters: id. Result: still_open bool; no row where it is gone. Locks: none.
SELECT r.status <> 'died' AS still_open FROM memory_maintenance.run AS r WHERE r.id = %(id)s
