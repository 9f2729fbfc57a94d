logger.info("loaded %s of entity_facts", row["data_type"])
print(f"{row['data_type']}: {count}")
raise KeyError("data_type")
