-- The facts that recall may give, by what stands in the row itself. A condition, a fragment.
-- Parameters: those of context/told; only_categories, only_durabilities: text[], NULL for all; as_of. Slots: told: context/told;
-- superseded: decisions/superseded; expires: as timestamptz.
-- Expired (spec 3) are neither pinned facts nor obligations, which past their deadline are overdue, no more. A decision that a
-- newer one took the place of would be followed once more.
{told}
AND (%(only_categories)s::text[] IS NULL OR f.category::text = ANY (%(only_categories)s::text[]))
AND (%(only_durabilities)s::text[] IS NULL OR f.durability::text = ANY (%(only_durabilities)s::text[]))
AND (f.pinned OR f.category::text = 'obligation'::text OR NOT coalesce({expires} <= %(as_of)s::timestamptz, false))
AND CASE WHEN f.category::text = 'decision'::text THEN NOT {superseded} ELSE true END
