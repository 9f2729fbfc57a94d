-- The tables that facts hang on: entities, and the channels in which agents talk.
--
-- Purpose: parents of entity_facts in a NOVA / OpenClaw style deployment, the same before and after
--          that project's own migration. Several statements, for one transaction.
-- Locks:   new relations only.

CREATE TABLE public.entities (
    id serial CONSTRAINT entities_pkey PRIMARY KEY,
    name varchar(255) NOT NULL,
    type varchar(50) NOT NULL,
    full_name varchar(255),
    nicknames text[],
    description text,
    gender varchar(50),
    pronouns varchar(50),
    birthday date,
    email varchar(255),
    phone varchar(50),
    location text,
    timezone varchar(64),
    language varchar(35),
    occupation text,
    photo_path text,
    notes text,
    trust_level varchar(20) DEFAULT 'unknown',
    visibility varchar(20) DEFAULT 'public',
    data jsonb,
    is_active boolean DEFAULT true,
    merged_from integer[],
    created_at timestamp DEFAULT CURRENT_TIMESTAMP,
    updated_at timestamp DEFAULT CURRENT_TIMESTAMP,
    last_seen timestamptz,
    CONSTRAINT entities_name_type_key UNIQUE (name, type),
    CONSTRAINT entities_type_check CHECK (
        type IN ('person', 'ai', 'organization', 'pet', 'stuffed_animal', 'character', 'other')
    )
);

CREATE INDEX idx_entities_type ON public.entities (type);
CREATE INDEX idx_entities_nicknames ON public.entities USING gin (nicknames);

COMMENT ON TABLE public.entities IS 'People, agents, organizations and things that facts are about';
COMMENT ON COLUMN public.entities.nicknames IS 'Other names that a transcript may use';
COMMENT ON COLUMN public.entities.merged_from IS 'Ids of the entities that were merged into this one';

CREATE TABLE public.channel_sessions (
    id bigserial CONSTRAINT channel_sessions_pkey PRIMARY KEY,
    channel varchar(50) NOT NULL,
    agent varchar(100),
    started_at timestamptz NOT NULL DEFAULT now(),
    ended_at timestamptz
);

COMMENT ON TABLE public.channel_sessions IS 'One conversation on one channel';

CREATE TABLE public.channel_transcripts (
    id bigserial CONSTRAINT channel_transcripts_pkey PRIMARY KEY,
    channel_session_id bigint REFERENCES public.channel_sessions (id),
    sender_entity_id integer REFERENCES public.entities (id),
    content text NOT NULL,
    sent_at timestamptz NOT NULL DEFAULT now()
);

CREATE INDEX idx_channel_transcripts_session ON public.channel_transcripts (channel_session_id);

COMMENT ON TABLE public.channel_transcripts IS 'What was said, message by message';
