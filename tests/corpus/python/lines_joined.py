def build(only=None):
    lines = [
        "SELECT f.id,",
        "       f.data_type",
        "FROM entity_facts AS f",
    ]
    if only:
        lines.append("WHERE f.data_type = %s")
    return "\n".join(lines)
