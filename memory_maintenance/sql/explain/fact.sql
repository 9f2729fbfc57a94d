-- One fact as it is stored, and what the projection makes of it at an instant.
-- Parameters: those of facts/projection; fact: the key. Slots: facts; key; key_type; projected: the projection of this
-- fact; name: the column key as text; value: as text; entity: entity_id; document: the column data as jsonb; last_confirmed_at,
-- learned_at, last_accessed_at: as timestamptz.
-- Result: one row, or none. policy_no as in facts/projection. Instants are text: they may be infinite. Locks: none.
SELECT
    f.{key} AS key,
    {name} AS name,
    {value} AS said,
    {entity} AS entity_id,
    p.durability::text AS durability,
    p.category::text AS category,
    f.pinned,
    p.stored_confidence::float8 AS stored_confidence,
    p.stored_effective_importance::int4 AS stored_effective_importance,
    ({last_confirmed_at})::text AS last_confirmed_at,
    ({learned_at})::text AS learned_at,
    ({last_accessed_at})::text AS last_accessed_at,
    f.access_count,
    f.importance_scored_at::text AS importance_scored_at,
    p.expires::text AS expires,
    p.past_deadline,
    {document} #>> '{{obligation,status}}'::text[] AS status,
    coalesce(({document} -> 'do_not_reopen'::text)::text = 'true'::text, false) AS do_not_reopen,
    p.problem,
    p.notice,
    p.anew,
    p.base,
    p.anchor_at::text AS anchor_at,
    p.started_at::text AS started_at,
    p.policy_no,
    p.half_life_s,
    p.shape,
    p.age_s,
    p.survival,
    p.value,
    p.importance::int4 AS importance,
    p.update_age_s,
    p.access_age_s,
    p.exempt,
    p.effective_importance::int4 AS effective_importance
FROM {facts} AS f
CROSS JOIN ({projected}) AS p
WHERE f.{key} = %(fact)s::{key_type}
