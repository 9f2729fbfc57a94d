TABLE = "entity_facts"  # data_type
HASH = "#"; KEY = row["data_type"]  # "data_type"
QUERY = "SELECT '#', data_type FROM entity_facts -- # no"  # data_type = 'permanent'
LONG = """ # " '''
# data_type of entity_facts """
#data_type
