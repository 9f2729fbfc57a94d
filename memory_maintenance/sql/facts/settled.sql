-- Whether a fact is an obligation that is settled (spec 5): done, cancelled or missed. A fragment.
-- Slots: document: the column data as jsonb. Result: boolean, never NULL.
CASE
    WHEN f.category::text = 'obligation'::text THEN coalesce(
        ({document} #>> '{{obligation,status}}'::text[]) = ANY ('{{done,cancelled,missed}}'::text[]), false
    )
    ELSE false
END
