TABLE = "entity_facts"
LASTING = ("permanent", "identity")


def lasts(row, fact):
    if row["data_type"] == "permanent" or "identity" == fact.data_type:
        return True
    if fact.data_type in LASTING or row.get("data_type") not in {"temporal", "mood"}:
        return True
    return fact.data_type is None
