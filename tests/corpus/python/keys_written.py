TABLE = "entity_facts"


def change(row, fact, value):
    row["data_type"] = "permanent"
    row.setdefault("data_type", "observation")
    setattr(fact, "data_type", value)
    del row["data_type"]
    fact.data_type = "temporal"
    fact.data_type, fact.key = value, "k"
    row["data_type"] += "x"
    row |= {"data_type": value}
    row.update(data_type=value)
    delattr(fact, "data_type")
    return dict(row, data_type="identity"), {**row, "data_type": value}
