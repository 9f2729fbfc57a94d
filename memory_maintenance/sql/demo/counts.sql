-- What the demo holds now.
--
-- Purpose: the counts are read back, not assumed.
-- Result:  data_type (NULL is a value of its own), facts bigint; entities bigint, the same in each row.
-- Locks:   ACCESS SHARE.

SELECT
    f.data_type,
    count(*) AS facts,
    (SELECT count(*) FROM public.entities) AS entities
FROM public.entity_facts AS f
GROUP BY f.data_type
ORDER BY count(*) DESC, f.data_type
