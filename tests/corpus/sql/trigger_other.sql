CREATE FUNCTION norm_arg() RETURNS trigger LANGUAGE plpgsql AS $fn$
BEGIN
    NEW.data_type := lower(NEW.data_type);
    RETURN NEW;
END
$fn$;

CREATE TRIGGER norm_arg BEFORE INSERT ON tool_arguments
    FOR EACH ROW EXECUTE FUNCTION norm_arg();
