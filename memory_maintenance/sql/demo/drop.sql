-- Removes an earlier demo: its own objects and our schema, nothing else.
--
-- Purpose: room for the next one. RESTRICT: whatever somebody else hung on the demo stops it.
--          Several statements, for one transaction.
-- Locks:   ACCESS EXCLUSIVE on each relation that goes.

DROP VIEW IF EXISTS public.delegation_knowledge, public.v_entity_facts, public.v_users RESTRICT;
DROP FUNCTION IF EXISTS
    public.merge_facts(integer, integer),
    public.merge_entities(integer, integer),
    public.purge_entity_facts_archive()
RESTRICT;
DROP TABLE IF EXISTS
    public.entity_facts,
    public.entity_facts_archive,
    public.channel_transcripts,
    public.channel_sessions,
    public.entities,
    public.memory_embeddings,
    public.events,
    public.lessons
RESTRICT;
DROP SCHEMA IF EXISTS memory_maintenance CASCADE;
