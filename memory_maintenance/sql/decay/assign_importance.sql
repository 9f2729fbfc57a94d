-- What decay writes of importance. A fragment of SET.
effective_importance = c.new_effective_importance
