TABLE = "entity_facts"


def weight(row, fact):
    match row["data_type"]:
        case "permanent" | "identity":
            return 1.0
        case "temporal":
            return 0.1
    match row:
        case {"data_type": "preference", **rest}:
            return 0.5
    match fact:
        case Fact(data_type="preference", key=str()):
            return 0.5
    return 0.0
