TABLE = "entity_facts"
data_types = ["data_types", "my_data_type", "$data_type", "data_type_id"]
kind = row["data_type"]  # noqa
