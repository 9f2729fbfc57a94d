-- The facts whose confidence is what decay wrote, and not their base. A condition on f.
-- Slots: confidence_type. Locks: none.
f.confidence_base IS NOT NULL
AND f.confidence IS NOT DISTINCT FROM f.confidence_written
AND f.confidence IS DISTINCT FROM f.confidence_base::{confidence_type}
