-- entity_facts in its legacy state, with the archive, views and functions that depend on it.
--
-- Purpose: what migrate-types meets in a deployment that still has data_type. Needs surroundings.sql
--          before it. Foreign keys and secondary indexes are in legacy_keys.sql, so that a large load
--          can come first. Several statements, for one transaction.
-- Locks:   new relations only.

CREATE TABLE public.entity_facts (
    id serial CONSTRAINT entity_facts_pkey PRIMARY KEY,
    entity_id integer,
    key varchar(255) NOT NULL,
    value text NOT NULL,
    data jsonb,
    source varchar(255),
    confidence double precision DEFAULT 1.0,
    learned_at timestamp without time zone DEFAULT CURRENT_TIMESTAMP,
    updated_at timestamp without time zone DEFAULT CURRENT_TIMESTAMP,
    visibility varchar(20) DEFAULT 'public',
    privacy_scope integer[],
    source_entity_id integer,
    visibility_reason text,
    vote_count integer DEFAULT 1,
    last_confirmed timestamp without time zone DEFAULT now(),
    data_type varchar(20) DEFAULT 'observation',
    last_confirmed_at timestamptz DEFAULT now(),
    confirmation_count integer DEFAULT 1,
    decay_rate real,
    source_channel_transcript_id bigint,
    source_channel_session_id bigint,
    CONSTRAINT chk_confidence CHECK (confidence >= 0 AND confidence <= 1),
    CONSTRAINT chk_data_type CHECK (
        data_type IN ('permanent', 'identity', 'preference', 'temporal', 'observation')
    )
);

COMMENT ON TABLE public.entity_facts IS 'What the agents know: one fact about one entity a row';
COMMENT ON COLUMN public.entity_facts.key IS 'What kind of fact, e.g. birthday or favourite_food';
COMMENT ON COLUMN public.entity_facts.data IS 'Structured detail that does not fit the value';
COMMENT ON COLUMN public.entity_facts.source IS 'Who or what said so, as text';
COMMENT ON COLUMN public.entity_facts.confidence IS '0 to 1, falling while nobody confirms the fact';
COMMENT ON COLUMN public.entity_facts.visibility IS 'public, trusted or private';
COMMENT ON COLUMN public.entity_facts.privacy_scope IS
    'Ids of the entities that may see the fact; NULL leaves it to visibility';
COMMENT ON COLUMN public.entity_facts.visibility_reason IS 'Why it is not public';
COMMENT ON COLUMN public.entity_facts.vote_count IS 'How often the fact was said again';
COMMENT ON COLUMN public.entity_facts.data_type IS
    'permanent, identity, preference, temporal or observation';
COMMENT ON COLUMN public.entity_facts.last_confirmed_at IS 'When the fact was last confirmed';
COMMENT ON COLUMN public.entity_facts.confirmation_count IS 'How often it was confirmed';
COMMENT ON COLUMN public.entity_facts.decay_rate IS
    'This fact''s own rate per day; NULL takes the rate of its type';

-- The archive copies the columns and nothing else: no key, no check, no default of theirs.
CREATE TABLE public.entity_facts_archive (
    id integer,
    entity_id integer,
    key varchar(255),
    value text,
    data jsonb,
    source varchar(255),
    confidence double precision,
    learned_at timestamp without time zone,
    updated_at timestamp without time zone,
    visibility varchar(20),
    privacy_scope integer[],
    source_entity_id integer,
    visibility_reason text,
    vote_count integer,
    last_confirmed timestamp without time zone,
    data_type varchar(20),
    last_confirmed_at timestamptz,
    confirmation_count integer,
    decay_rate real,
    source_channel_transcript_id bigint,
    source_channel_session_id bigint,
    archived_at timestamptz DEFAULT now(),
    archive_reason varchar(50),
    archived_by varchar(50) DEFAULT 'decay_script'
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

COMMENT ON FUNCTION public.purge_entity_facts_archive() IS 'Deletes archived facts older than a year';

CREATE VIEW public.delegation_knowledge AS
SELECT f.id, f.key, f.value, f.confidence, f.data_type, f.source, f.learned_at, f.updated_at
FROM public.entity_facts AS f
WHERE f.entity_id = 1
    AND f.key IN (
        'delegation_rule', 'delegation_outcome', 'agent_capability', 'agent_limit', 'routing_hint'
    )
ORDER BY f.confidence DESC, f.learned_at DESC;

COMMENT ON VIEW public.delegation_knowledge IS 'What the first agent knows about delegating work';

CREATE VIEW public.v_entity_facts AS
SELECT
    f.id,
    e.name AS entity_name,
    e.type AS entity_type,
    f.key,
    f.value,
    f.confidence,
    f.visibility,
    f.source,
    f.learned_at,
    f.updated_at
FROM public.entity_facts AS f
JOIN public.entities AS e ON e.id = f.entity_id;

COMMENT ON VIEW public.v_entity_facts IS 'Facts with the names of their entities';

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

COMMENT ON VIEW public.v_users IS 'People, with a column for each fact that identifies them';

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
    UPDATE public.entity_facts AS f
    SET vote_count = coalesce(survivor.vote_count, 1) + coalesce(absorbed.vote_count, 1),
        confirmation_count =
            coalesce(survivor.confirmation_count, 1) + coalesce(absorbed.confirmation_count, 1),
        last_confirmed_at = greatest(survivor.last_confirmed_at, absorbed.last_confirmed_at),
        confidence = greatest(survivor.confidence, absorbed.confidence),
        updated_at = now()
    WHERE f.id = survivor_id
    RETURNING f.* INTO survivor;
    DELETE FROM public.entity_facts WHERE id = absorbed_id;
    RETURN survivor;
END;
$function$;

COMMENT ON FUNCTION public.merge_facts(integer, integer) IS
    'Adds the second fact''s votes and confirmations to the first, deletes the second';

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
    UPDATE public.entity_facts
    SET source_entity_id = survivor_id
    WHERE source_entity_id = absorbed_id;
    UPDATE public.channel_transcripts
    SET sender_entity_id = survivor_id
    WHERE sender_entity_id = absorbed_id;
    UPDATE public.entities
    SET merged_from = array_append(merged_from, absorbed_id), updated_at = now()
    WHERE id = survivor_id;
    DELETE FROM public.entities WHERE id = absorbed_id;
    RETURN moved;
END;
$function$;

COMMENT ON FUNCTION public.merge_entities(integer, integer) IS
    'Gives all facts of the second entity to the first, deletes the second; returns their number';
