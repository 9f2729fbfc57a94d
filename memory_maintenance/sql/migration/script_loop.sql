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
        EXECUTE %(statement)s USING first_key, last_key;
        COMMIT;
        first_key := (
            SELECT f.{key} FROM {facts} AS f
            WHERE f.{key} > last_key AND f.{key} <= highest
            ORDER BY f.{key} LIMIT 1
        );
    END LOOP;
END
