class Row:
    """Of entity_facts."""

    data_type: str | None

    def get(self, data_type: str = ...) -> str: ...
