-- Whether a fact may be told (spec 4): what privacy_scope says, where it is set, decides; else visibility. A fragment.
-- Parameters: viewer: the key of the entity that will be told, or NULL; told: the visibilities that may be told.
-- Slots: visibility: as text; scope: privacy_scope as text[]. Result: boolean, never NULL.
CASE
    WHEN {scope} IS NOT NULL THEN coalesce(%(viewer)s::text = ANY ({scope}), false)
    ELSE {visibility} IS NULL OR coalesce({visibility} = ANY (%(told)s::text[]), false)
END
