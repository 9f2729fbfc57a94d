def shown(row, schema):
    for field in schema:
        print(field.data_type)
    row["data_type"] = 1
    return row["data_type"]
