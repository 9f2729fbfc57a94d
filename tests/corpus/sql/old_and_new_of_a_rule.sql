CREATE RULE log AS ON UPDATE TO entity_facts DO ALSO
    INSERT INTO sensors (data_type) VALUES (OLD.data_type);
CREATE RULE log AS ON UPDATE TO sensors DO ALSO
    UPDATE entity_facts SET data_type = NEW.data_type WHERE data_type = OLD.data_type;
