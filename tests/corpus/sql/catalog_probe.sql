SELECT column_name, data_type
  FROM information_schema.columns
 WHERE table_name = 'entity_facts';

SELECT a.attname, format_type(a.atttypid, a.atttypmod)
  FROM pg_attribute a
 WHERE a.attrelid = 'public.entity_facts'::regclass
   AND a.attname = 'data_type';

SELECT routine_name, DATA_TYPE FROM INFORMATION_SCHEMA.ROUTINES WHERE routine_schema = 'public';
