-- Lets data_type hold the values that were once proposed for it.
--
-- Purpose: a deployment that adopted the proposal has a wider chk_data_type, under the same name. The
--          legacy one allows the five production values only, and would refuse the demo's examples.
-- Locks:   ACCESS EXCLUSIVE on entity_facts.

ALTER TABLE public.entity_facts
    DROP CONSTRAINT chk_data_type,
    ADD CONSTRAINT chk_data_type CHECK (
        data_type IN (
            'permanent', 'identity', 'preference', 'temporal', 'observation',
            'trait', 'mood', 'state', 'decision', 'routine', 'obligation'
        )
    )
