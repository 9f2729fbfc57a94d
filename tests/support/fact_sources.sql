-- entity_fact_sources: who said a fact, one row a source; deleted along with its fact.
--
-- Purpose: the child table of the current state. Needs entities and entity_facts.
-- Locks:   SHARE ROW EXCLUSIVE on both, for the foreign keys.

CREATE TABLE public.entity_fact_sources (
    id serial CONSTRAINT entity_fact_sources_pkey PRIMARY KEY,
    fact_id integer NOT NULL REFERENCES public.entity_facts (id) ON DELETE CASCADE,
    source_entity_id integer NOT NULL REFERENCES public.entities (id),
    source_citation text,
    attribution_count integer DEFAULT 1,
    first_seen timestamptz DEFAULT now(),
    last_seen timestamptz DEFAULT now(),
    source_url text,
    reporting_distance real NOT NULL,
    verification_quality real,
    source_session_id bigint,
    CONSTRAINT entity_fact_sources_fact_source_key UNIQUE (fact_id, source_entity_id)
);

CREATE INDEX idx_entity_fact_sources_source ON public.entity_fact_sources (source_entity_id);

COMMENT ON TABLE public.entity_fact_sources IS 'Who said a fact, and how often';
COMMENT ON COLUMN public.entity_fact_sources.reporting_distance IS
    '0 for an eyewitness, growing with every retelling';
