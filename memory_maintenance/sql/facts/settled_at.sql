-- When an obligation was settled, by its data (spec 5). A fragment.
-- Slots: document: the column data as jsonb. Result: timestamptz; NULL where it isn't said, or not as an instant.
-- The pattern takes nothing that the cast refuses, days of the calendar included: no row can stop a batch.
CASE
    WHEN {document} #>> '{{obligation,settled_at}}'::text[] ~ (
        '^([12][0-9]{{3}}-((0[13578]|1[02])-(0[1-9]|[12][0-9]|3[01])|(0[469]|11)-(0[1-9]|[12][0-9]|30)'::text
        || '|02-(0[1-9]|1[0-9]|2[0-8]))|([12][0-9](0[48]|[2468][048]|[13579][26])|(12|16|20|24|28)00)-02-29)'::text
        || '[T ]([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9]([.][0-9]{{1,6}})?)?(Z|[+-](0[0-9]|1[0-4])(:?[0-5][0-9])?)$'::text
    )
        THEN ({document} #>> '{{obligation,settled_at}}'::text[])::timestamptz
END
