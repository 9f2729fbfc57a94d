-- data_type is gone; use durability.
/* The old index covered (entity_id, data_type)
   and is no longer needed. */
SELECT id, durability FROM entity_facts WHERE category = 'identity';
