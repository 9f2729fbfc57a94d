TABLE = "entity_facts"
LINE = "%(key)s: %(data_type)s"
SHOWN = "{key} {data_type}".format(**row)
print(f"{row['data_type']=} {row.data_type!s:>{width}}")
