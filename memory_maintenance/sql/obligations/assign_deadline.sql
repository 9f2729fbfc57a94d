-- The deadline that a change brings, else the one there is. A fragment of SET. Slots: expires: the new deadline in
-- the column's type.
expires = coalesce({expires}, f.expires)
