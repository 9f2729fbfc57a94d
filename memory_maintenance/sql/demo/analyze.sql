-- Statistics for the planner, right after the load.
--
-- Locks: SHARE UPDATE EXCLUSIVE on each table.

ANALYZE public.entities, public.channel_sessions, public.channel_transcripts, public.entity_facts
