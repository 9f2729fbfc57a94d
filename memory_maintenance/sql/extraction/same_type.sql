-- Whether an entity e is of a type. A fragment. Parameters: type.
AND e.type::text = %(type)s::text
