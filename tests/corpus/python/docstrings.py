"""Facts, by data_type.

SELECT data_type FROM entity_facts
>>> facts(data_type="identity")
"""


class Facts:
    "What entity_facts holds, data_type and all."

    kind: str
    """The data_type."""

    def load(self):
        """SELECT data_type FROM entity_facts"""
        # SELECT data_type FROM entity_facts
        "data_type"

    async def save(self):
        r'''Writes data_type.'''
