-- Whether there is such an entity. Parameters: entity: its key. Slots: entities; column; type: that of entity_id.
-- Result: found. Locks: none.
SELECT EXISTS (SELECT FROM {entities} AS e WHERE e.{column} = %(entity)s::{type}) AS found
