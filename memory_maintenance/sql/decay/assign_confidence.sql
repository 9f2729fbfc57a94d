-- What decay writes of confidence. A fragment of SET. confidence_written has the column's own type, so that a
-- later comparison with confidence is exact (spec 3).
confidence = c.new_confidence,
confidence_base = c.base,
confidence_anchor_at = c.anchor_at,
confidence_written = c.new_confidence
