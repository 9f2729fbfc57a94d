QUERY = "SELECT {columns} FROM {table} WHERE data_type = %s"


def load(cur):
    cur.execute("SELECT {} FROM {}".format("data_type", "entity_facts"))
    cur.execute("SELECT {0}.data_type FROM {0}".format("entity_facts"))
    cur.execute(QUERY.format(columns="id", table="entity_facts"), ("permanent",))
    cur.execute("SELECT data_type FROM {t}".format(t="sensors"))
