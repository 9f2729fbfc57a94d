export const STAGING_SQL = /* sql */ `
  with entity_facts as (
    select id, kind as data_type from fact_candidates
  )
  select data_type, count(*) from entity_facts group by data_type
`;

export const JOINED_SQL = /* sql */ `
  select f.data_type from fact_files f join entity_facts e on e.id = f.fact_id
  where f.data_type = 'pdf' and e.data_type = 'identity'
`;

export const LIVE_SQL = /* sql */ `
  with c as (select id, data_type from entity_facts)
  select c.data_type from c
`;
