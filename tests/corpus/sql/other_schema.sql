CREATE TABLE etl.columns_map (src text, dst text, data_type regtype);
INSERT INTO etl.columns_map (src, dst, data_type) VALUES ('a', 'b', 'int8');
SELECT dst || ' ' || data_type::text FROM etl.columns_map ORDER BY dst;
