-- entity_facts as the predecessor's own migration leaves it, with all that depends on it.
--
-- Purpose: both axes NOT NULL with defaults, no data_type: a database on which there is nothing left
--          to map. Needs surroundings.sql before it.
-- Locks:   new relations only; SHARE ROW EXCLUSIVE on the referenced tables.

CREATE TYPE public.assertion_intent AS ENUM ('asserted', 'quoted', 'inferred', 'hypothetical');
CREATE TYPE public.mutability_class AS ENUM (
    'immutable', 'slow_changing', 'stateful', 'gradable'
);

CREATE TABLE public.entity_facts (
    id serial CONSTRAINT entity_facts_pkey PRIMARY KEY,
    entity_id integer,
    key varchar(255) NOT NULL,
    value text NOT NULL,
    data jsonb,
    confidence double precision DEFAULT 1.0,
    learned_at timestamp without time zone DEFAULT CURRENT_TIMESTAMP,
    updated_at timestamp without time zone DEFAULT CURRENT_TIMESTAMP,
    visibility varchar(20) DEFAULT 'public',
    privacy_scope integer[],
    visibility_reason text,
    last_confirmed_at timestamptz DEFAULT now(),
    decay_rate real,
    source_channel_transcript_id bigint,
    source_channel_session_id bigint,
    extraction_count integer DEFAULT 1,
    expires timestamptz,
    durability varchar(20) NOT NULL DEFAULT 'long_term',
    category text NOT NULL DEFAULT 'observation',
    assertion_intent public.assertion_intent NOT NULL DEFAULT 'asserted',
    mutability_class public.mutability_class NOT NULL DEFAULT 'slow_changing',
    CONSTRAINT chk_confidence CHECK (confidence >= 0 AND confidence <= 1),
    CONSTRAINT chk_durability CHECK (
        durability IN ('permanent', 'long_term', 'short_term', 'ephemeral')
    ),
    CONSTRAINT entity_facts_entity_id_fkey
        FOREIGN KEY (entity_id) REFERENCES public.entities (id) ON DELETE CASCADE,
    CONSTRAINT entity_facts_source_channel_transcript_id_fkey
        FOREIGN KEY (source_channel_transcript_id) REFERENCES public.channel_transcripts (id),
    CONSTRAINT entity_facts_source_channel_session_id_fkey
        FOREIGN KEY (source_channel_session_id) REFERENCES public.channel_sessions (id)
);

CREATE INDEX idx_entity_facts_entity_id ON public.entity_facts (entity_id);
CREATE INDEX idx_entity_facts_key ON public.entity_facts (key);
CREATE INDEX idx_entity_facts_visibility ON public.entity_facts (visibility);
CREATE INDEX idx_entity_facts_confidence ON public.entity_facts (confidence)
WHERE confidence < 1.0;
CREATE INDEX idx_entity_facts_privacy_scope ON public.entity_facts USING gin (privacy_scope);
CREATE INDEX idx_entity_facts_source_channel_transcript_id
ON public.entity_facts (source_channel_transcript_id)
WHERE source_channel_transcript_id IS NOT NULL;
CREATE INDEX idx_entity_facts_source_channel_session_id
ON public.entity_facts (source_channel_session_id)
WHERE source_channel_session_id IS NOT NULL;
CREATE INDEX idx_entity_facts_durability ON public.entity_facts (durability);
CREATE INDEX idx_entity_facts_category ON public.entity_facts (category);
CREATE INDEX idx_entity_facts_assertion_intent ON public.entity_facts (assertion_intent);
CREATE INDEX idx_entity_facts_immutable ON public.entity_facts (mutability_class)
WHERE mutability_class = 'immutable';
CREATE INDEX idx_entity_facts_gradable ON public.entity_facts (entity_id, key)
WHERE mutability_class = 'gradable';

COMMENT ON TABLE public.entity_facts IS 'What the agents know: one fact about one entity a row';
COMMENT ON COLUMN public.entity_facts.confidence IS '0 to 1, falling while nobody confirms the fact';
COMMENT ON COLUMN public.entity_facts.visibility IS 'public, trusted or private';
COMMENT ON COLUMN public.entity_facts.extraction_count IS 'How often the fact was extracted';
COMMENT ON COLUMN public.entity_facts.expires IS 'When the fact ceases to hold';
COMMENT ON COLUMN public.entity_facts.durability IS
    'permanent, long_term, short_term or ephemeral: how long the fact persists';
COMMENT ON COLUMN public.entity_facts.category IS 'What the fact is about; free text';

CREATE TABLE public.entity_facts_archive (
    id integer,
    entity_id integer,
    key varchar(255),
    value text,
    data jsonb,
    confidence double precision,
    learned_at timestamp without time zone,
    updated_at timestamp without time zone,
    visibility varchar(20),
    privacy_scope integer[],
    visibility_reason text,
    last_confirmed_at timestamptz,
    decay_rate real,
    source_channel_transcript_id bigint,
    source_channel_session_id bigint,
    archived_at timestamptz DEFAULT now(),
    archive_reason varchar(50),
    archived_by varchar(50) DEFAULT 'decay_script',
    extraction_count integer,
    durability varchar(20),
    category text,
    expires timestamptz
);

COMMENT ON TABLE public.entity_facts_archive IS 'Facts that decayed away, kept for a year';

CREATE FUNCTION public.purge_entity_facts_archive() RETURNS integer
LANGUAGE plpgsql AS $function$
DECLARE
    purged integer;
BEGIN
    DELETE FROM public.entity_facts_archive WHERE archived_at < now() - interval '1 year';
    GET DIAGNOSTICS purged = ROW_COUNT;
    RETURN purged;
END;
$function$;

CREATE VIEW public.delegation_knowledge AS
SELECT f.id, f.key, f.value, f.confidence, f.durability, f.learned_at, f.updated_at
FROM public.entity_facts AS f
WHERE f.entity_id = 1
    AND f.key IN (
        'delegation_rule', 'delegation_outcome', 'agent_capability', 'agent_limit', 'routing_hint'
    )
ORDER BY f.confidence DESC, f.learned_at DESC;

CREATE VIEW public.v_entity_facts AS
SELECT
    f.id,
    e.name AS entity_name,
    e.type AS entity_type,
    f.key,
    f.value,
    f.confidence,
    f.visibility,
    f.learned_at,
    f.updated_at
FROM public.entity_facts AS f
JOIN public.entities AS e ON e.id = f.entity_id;

CREATE VIEW public.v_users AS
SELECT
    e.id,
    e.name,
    max(f.value) FILTER (WHERE f.key = 'full_name') AS full_name,
    max(f.value) FILTER (WHERE f.key = 'email') AS email,
    max(f.value) FILTER (WHERE f.key = 'phone') AS phone,
    max(f.value) FILTER (WHERE f.key = 'timezone') AS timezone,
    max(f.value) FILTER (WHERE f.key = 'birthday') AS birthday,
    count(f.id) AS fact_count
FROM public.entities AS e
LEFT JOIN public.entity_facts AS f ON f.entity_id = e.id
WHERE e.type = 'person'
GROUP BY e.id, e.name;

CREATE VIEW public.v_current_stateful_facts AS
SELECT DISTINCT ON (f.entity_id, f.key)
    f.id,
    f.entity_id,
    f.key,
    f.value,
    f.confidence,
    f.last_confirmed_at
FROM public.entity_facts AS f
WHERE f.mutability_class = 'stateful'
ORDER BY f.entity_id, f.key, f.last_confirmed_at DESC NULLS LAST, f.id DESC;

CREATE FUNCTION public.merge_facts(survivor_id integer, absorbed_id integer)
RETURNS public.entity_facts
LANGUAGE plpgsql AS $function$
DECLARE
    survivor public.entity_facts%ROWTYPE;
    absorbed public.entity_facts%ROWTYPE;
BEGIN
    IF survivor_id = absorbed_id THEN
        RAISE EXCEPTION 'a fact is not merged with itself' USING ERRCODE = 'invalid_parameter_value';
    END IF;
    SELECT * INTO STRICT survivor FROM public.entity_facts WHERE id = survivor_id FOR UPDATE;
    SELECT * INTO STRICT absorbed FROM public.entity_facts WHERE id = absorbed_id FOR UPDATE;
    INSERT INTO public.entity_fact_sources AS s (
        fact_id, source_entity_id, source_citation, attribution_count, first_seen, last_seen,
        source_url, reporting_distance, verification_quality, source_session_id
    )
    SELECT
        survivor_id, a.source_entity_id, a.source_citation, a.attribution_count, a.first_seen,
        a.last_seen, a.source_url, a.reporting_distance, a.verification_quality, a.source_session_id
    FROM public.entity_fact_sources AS a
    WHERE a.fact_id = absorbed_id
    ON CONFLICT (fact_id, source_entity_id) DO UPDATE
    SET attribution_count = s.attribution_count + excluded.attribution_count,
        first_seen = least(s.first_seen, excluded.first_seen),
        last_seen = greatest(s.last_seen, excluded.last_seen);
    UPDATE public.entity_facts AS f
    SET extraction_count =
            coalesce(survivor.extraction_count, 1) + coalesce(absorbed.extraction_count, 1),
        last_confirmed_at = greatest(survivor.last_confirmed_at, absorbed.last_confirmed_at),
        confidence = greatest(survivor.confidence, absorbed.confidence),
        updated_at = now()
    WHERE f.id = survivor_id
    RETURNING f.* INTO survivor;
    DELETE FROM public.entity_facts WHERE id = absorbed_id;
    RETURN survivor;
END;
$function$;

CREATE FUNCTION public.merge_entities(survivor_id integer, absorbed_id integer) RETURNS integer
LANGUAGE plpgsql AS $function$
DECLARE
    moved integer;
BEGIN
    IF survivor_id = absorbed_id THEN
        RAISE EXCEPTION 'an entity is not merged with itself'
            USING ERRCODE = 'invalid_parameter_value';
    END IF;
    UPDATE public.entity_facts SET entity_id = survivor_id WHERE entity_id = absorbed_id;
    GET DIAGNOSTICS moved = ROW_COUNT;
    UPDATE public.entities
    SET merged_from = array_append(merged_from, absorbed_id), updated_at = now()
    WHERE id = survivor_id;
    DELETE FROM public.entities WHERE id = absorbed_id;
    RETURN moved;
END;
$function$;
