-- The foreign keys and secondary indexes of entity_facts in its legacy state.
--
-- Purpose: as deployments have them; the index on confidence keeps every decay write from being HOT.
--          Apart from legacy_schema.sql, so that a large load can come before them. Several
--          statements, for one transaction.
-- Locks:   SHARE ROW EXCLUSIVE on entity_facts and the referenced tables.

ALTER TABLE public.entity_facts
    ADD CONSTRAINT entity_facts_entity_id_fkey
        FOREIGN KEY (entity_id) REFERENCES public.entities (id) ON DELETE CASCADE,
    ADD CONSTRAINT entity_facts_source_entity_id_fkey
        FOREIGN KEY (source_entity_id) REFERENCES public.entities (id),
    ADD CONSTRAINT entity_facts_source_channel_transcript_id_fkey
        FOREIGN KEY (source_channel_transcript_id) REFERENCES public.channel_transcripts (id),
    ADD CONSTRAINT entity_facts_source_channel_session_id_fkey
        FOREIGN KEY (source_channel_session_id) REFERENCES public.channel_sessions (id);

CREATE INDEX idx_entity_facts_entity_id ON public.entity_facts (entity_id);
CREATE INDEX idx_entity_facts_key ON public.entity_facts (key);
CREATE INDEX idx_entity_facts_visibility ON public.entity_facts (visibility);
CREATE INDEX idx_entity_facts_confidence ON public.entity_facts (confidence)
WHERE confidence < 1.0;
CREATE INDEX idx_entity_facts_privacy_scope ON public.entity_facts USING gin (privacy_scope);
CREATE INDEX idx_entity_facts_data_type ON public.entity_facts (data_type);
CREATE INDEX idx_entity_facts_source_entity_id ON public.entity_facts (source_entity_id);
CREATE INDEX idx_entity_facts_vote_count ON public.entity_facts (vote_count DESC);
CREATE INDEX idx_entity_facts_source_channel_transcript_id
ON public.entity_facts (source_channel_transcript_id)
WHERE source_channel_transcript_id IS NOT NULL;
CREATE INDEX idx_entity_facts_source_channel_session_id
ON public.entity_facts (source_channel_session_id)
WHERE source_channel_session_id IS NOT NULL;

COMMENT ON INDEX public.idx_entity_facts_confidence IS 'Facts that have begun to fade';
