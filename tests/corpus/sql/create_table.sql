CREATE TABLE entity_facts (
    id bigserial PRIMARY KEY,
    data_type varchar(20) DEFAULT 'observation',
    CHECK (data_type IN ('permanent', 'observation'))
);
CREATE TABLE sensors (
    id bigserial PRIMARY KEY,
    data_type text CHECK (data_type <> '')
);
