-- Who owns certain views. Parameters: oids bigint[]. Result: oid bigint, owner text. Locks: none.
SELECT c.oid::bigint AS oid, r.rolname::text AS owner
FROM pg_catalog.pg_class AS c
JOIN pg_catalog.pg_roles AS r ON r.oid = c.relowner
WHERE c.oid::bigint = ANY (%(oids)s::bigint[])
