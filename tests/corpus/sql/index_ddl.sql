CREATE INDEX ix_facts_dt ON public.entity_facts USING btree (data_type, updated_at DESC);
CREATE UNIQUE INDEX ux_facts_perm ON entity_facts (entity_id, key) WHERE data_type = 'permanent';
CREATE INDEX ix_args_dt ON tool_arguments (data_type);
DROP INDEX IF EXISTS ix_archive_dt;
ALTER TABLE ONLY entity_facts_archive RENAME COLUMN data_type TO legacy_kind;
