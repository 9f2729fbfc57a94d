-- Decisions by what is to be said of them (spec 6). A fragment, for report/by_kind.
-- Slots: state; the fragment decisions/state. Result: kind, key: a row for each kind that a decision is of. Locks: none.
-- The characters that show nothing are those of model/one_line; only in UTF8 are code points what these are.
SELECT k.kind, d.key
FROM (
    {state}
    WHERE f.category::text = 'decision'::text
    OFFSET 0
) AS d
CROSS JOIN LATERAL (
    VALUES
        ('open'::text, NOT d.superseded),
        ('superseded'::text, d.superseded),
        ('unguarded'::text, NOT d.superseded AND NOT d.do_not_reopen),
        (
            'without_reasoning'::text,
            NOT d.superseded AND coalesce(
                d.reasoning !~ CASE
                    WHEN pg_catalog.getdatabaseencoding() = 'UTF8'::name THEN
                        '[^\u0001-\u0020\u007F-\u00A0\u00AD\u034F\u061C\u115F\u1160\u1680\u17B4\u17B5\u180B-\u180F'::text
                        || '\u2000-\u200F\u2028-\u202F\u205F-\u206F\u2800\u3000\u3164\uFE00-\uFE0F\uFEFF\uFFA0\uFFF0-\uFFFB'::text
                        || '\U0001BCA0-\U0001BCA3\U0001D173-\U0001D17A\U000E0000-\U000E0FFF]'::text
                    ELSE '[^[:space:]]'::text
                END,
                true
            )
        )
) AS k (kind, holds)
WHERE k.holds
