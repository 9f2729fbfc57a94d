TABLE = "entity_facts"


def shown(row, fact):
    a = row["data_type"]
    b = row.get("data_type", "observation")
    c = row.pop('data_type')
    d = getattr(fact, "data_type", None)
    e = "data_type" in row
    f = row[b"data_type"]
    g = row._mapping["data_type"]
    h = operator.itemgetter("id", "data_type")(row)
    i = [key for key in row if key != "data_type"]
    return a, b, c, d, e, f, g, h, i
