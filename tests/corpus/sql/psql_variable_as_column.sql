\set wanted data_type
SELECT :wanted FROM entity_facts;
