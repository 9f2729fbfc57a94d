-- Notes that the run has computed the confidence of the whole table at its as_of. Parameters: id.
UPDATE memory_maintenance.run AS r SET computed_confidence = true WHERE r.id = %(id)s
