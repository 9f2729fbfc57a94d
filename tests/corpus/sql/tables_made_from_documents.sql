SELECT t.data_type FROM JSON_TABLE('[]', '$[*]' COLUMNS (data_type text PATH '$.data_type')) AS t;
SELECT x.data_type FROM XMLTABLE('/a' PASSING '<a/>' COLUMNS data_type text PATH '@t') AS x;
SELECT o.data_type FROM unnest(ARRAY['a']) WITH ORDINALITY AS o (data_type, n);
