-- Whether a text may be the given one in other letters: an ASCII text that is, or one that isn't ASCII, for the
-- caller to compare. "C", so that no locale has a say. A fragment. Slots: text; folded: the other, case-folded.
(
    pg_catalog.lower({text} COLLATE pg_catalog."C") = {folded}::text
    OR {text} COLLATE pg_catalog."C" ~ '[^\u0001-\u007F]'::text
)
