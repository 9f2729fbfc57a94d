-- The body of a script's loop over a table: batches by key, each committed, up to the highest key at the start.
-- Parameters: statement: of a batch, with its first and last key as $1 and $2; rows a batch.
-- Slots: facts, key, key_type. Locks: those of the statement.
DECLARE
    first_key {key_type} := (SELECT f.{key} FROM {facts} AS f ORDER BY f.{key} LIMIT 1);
    highest CONSTANT {key_type} := (SELECT f.{key} FROM {facts} AS f ORDER BY f.{key} DESC LIMIT 1);
    last_key {key_type};
BEGIN
    WHILE first_key IS NOT NULL LOOP
        last_key := coalesce(
            (
                SELECT f.{key} FROM {facts} AS f
                WHERE f.{key} >= first_key AND f.{key} <= highest
                ORDER BY f.{key} LIMIT 1 OFFSET %(rows)s - 1
            ),
            highest
        );
        -- Where a batch and a writer wait for each other, the batch gives way, and tries again.
        FOR attempt IN 1 .. 60 LOOP
            BEGIN
                EXECUTE %(statement)s USING first_key, last_key;
                EXIT;
            EXCEPTION
                WHEN lock_not_available OR deadlock_detected THEN
                    IF attempt = 60 THEN
                        RAISE;
                    END IF;
            END;
            PERFORM pg_catalog.pg_sleep(0.3);
        END LOOP;
        COMMIT;
        first_key := (
            SELECT f.{key} FROM {facts} AS f
            WHERE f.{key} > last_key AND f.{key} <= highest
            ORDER BY f.{key} LIMIT 1
        );
    END LOOP;
END
