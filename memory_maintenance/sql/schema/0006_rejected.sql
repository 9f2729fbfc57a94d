-- What ingest could not store (spec 8: nothing is lost), as it was said, and why.
-- No parameters, no slots. Locks: none that others hold.
CREATE TABLE memory_maintenance.rejected (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    at timestamptz NOT NULL DEFAULT clock_timestamp(),
    table_name text NOT NULL,
    index integer NOT NULL,
    raw text NOT NULL,
    because text NOT NULL,
    recorded_by text NOT NULL DEFAULT session_user
);

CREATE INDEX rejected_at ON memory_maintenance.rejected (table_name, at DESC);

COMMENT ON TABLE memory_maintenance.rejected IS
    'Facts of extractors'' answers that were not stored. Nothing reads or purges it: it is for people to look at.';
COMMENT ON COLUMN memory_maintenance.rejected.index IS 'The place of the fact in its answer, from 0.';
COMMENT ON COLUMN memory_maintenance.rejected.raw IS
    'What was said, whole. Where it begins with a quote it is a JSON string that means what was said: so is text kept that the database can''t hold as it is.';

-- What was said of people is in it.
REVOKE ALL ON TABLE memory_maintenance.rejected FROM PUBLIC;
