SET statement_timeout = 0;
SELECT pg_catalog.set_config('search_path', '', false);
CREATE TABLE public.entity_facts (
    id bigint NOT NULL,
    data_type character varying(20) DEFAULT 'observation'::character varying,
    CONSTRAINT chk_data_type CHECK (((data_type)::text = ANY ((ARRAY['permanent'::character varying])::text[])))
);
COPY public.entity_facts (id, data_type) FROM stdin;
1	permanent
\.
CREATE INDEX idx_entity_facts_data_type ON public.entity_facts USING btree (data_type);
CREATE VIEW public.types AS
 SELECT entity_facts.data_type
   FROM public.entity_facts;
