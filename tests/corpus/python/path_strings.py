TABLE = "entity_facts"
URL = "/facts?data_type=permanent"
PATH = "$.facts[*].data_type"
FIELDS = "id,data_type,key"
SPLIT = "id data_type key".split()
