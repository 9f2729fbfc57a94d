-- What is kept aside of a table, and how many keys are noted. Parameters: table_name.
-- Result: backed_up, noted: bigint. Locks: none.
SELECT
    (
        SELECT count(*) FROM memory_maintenance.data_type_backup AS b WHERE b.table_name = %(table_name)s
    ) AS backed_up,
    (SELECT count(*) FROM memory_maintenance.noted_key AS k WHERE k.table_name = %(table_name)s) AS noted
