class Fact:
    """A row of entity_facts."""

    @property
    def data_type(self):
        return self._row["data_type"]

    @data_type.setter
    def data_type(self, value):
        self._row["data_type"] = value
