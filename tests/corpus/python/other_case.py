TABLE = "entity_facts"
dataType = row["dataType"]
DATA_TYPE = 1
kind = settings.DATA_TYPE
