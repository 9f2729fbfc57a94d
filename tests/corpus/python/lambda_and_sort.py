TABLE = "entity_facts"
rows = sorted(load(), key=lambda row: row["data_type"])
facts = sorted(load(), key=attrgetter("data_type", "key"))
