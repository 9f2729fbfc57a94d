"""Fact retention.

Historically entity_facts.data_type decided how long a fact lives; since
migration 041 the two axes durability and category do.
"""

RETENTION = {"ephemeral": 7, "session": 30, "long": 3650}  # was keyed by data_type


def days(durability):
    # do not look at data_type here
    return RETENTION[durability]
