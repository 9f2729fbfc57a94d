-- The other memory tables that carry a confidence.
--
-- Purpose: memory_embeddings, events and lessons beside entity_facts. The vector column is real[]
--          here, since pgvector is not everywhere; nothing of ours reads it.
-- Locks:   new relations only.

CREATE TABLE public.memory_embeddings (
    id serial CONSTRAINT memory_embeddings_pkey PRIMARY KEY,
    source_type varchar(50) NOT NULL,
    source_id text,
    content text NOT NULL,
    embedding real[],
    created_at timestamptz DEFAULT now(),
    updated_at timestamptz DEFAULT now(),
    confidence real DEFAULT 1.0,
    last_confirmed_at timestamptz DEFAULT now(),
    CONSTRAINT memory_embeddings_source_key UNIQUE (source_type, source_id)
);

COMMENT ON TABLE public.memory_embeddings IS
    'Texts for semantic search; a fact has source_type entity_fact and its id as text';

CREATE TABLE public.events (
    id serial CONSTRAINT events_pkey PRIMARY KEY,
    event_date timestamp NOT NULL DEFAULT CURRENT_TIMESTAMP,
    title varchar(500) NOT NULL,
    description text,
    source varchar(255),
    created_at timestamp DEFAULT CURRENT_TIMESTAMP,
    updated_at timestamp DEFAULT CURRENT_TIMESTAMP,
    confidence real DEFAULT 1.0,
    last_confirmed_at timestamptz DEFAULT now(),
    search_vector tsvector GENERATED ALWAYS AS (
        to_tsvector('pg_catalog.english'::regconfig, title || ' ' || coalesce(description, ''))
    ) STORED
);

CREATE INDEX idx_events_event_date ON public.events (event_date);
CREATE INDEX idx_events_search_vector ON public.events USING gin (search_vector);

COMMENT ON TABLE public.events IS 'What happened, and when';

CREATE TABLE public.lessons (
    id serial CONSTRAINT lessons_pkey PRIMARY KEY,
    lesson text NOT NULL,
    context text,
    source varchar(255),
    learned_at timestamp DEFAULT CURRENT_TIMESTAMP,
    updated_at timestamp DEFAULT CURRENT_TIMESTAMP,
    confidence double precision DEFAULT 1.0,
    last_confirmed_at timestamptz DEFAULT now()
);

COMMENT ON TABLE public.lessons IS 'What an agent learned from a mistake or a correction';
