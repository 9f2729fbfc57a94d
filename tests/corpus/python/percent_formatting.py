TABLE = "entity_facts"


def load(cur, value):
    cur.execute("SELECT id FROM %s WHERE data_type = %%s" % TABLE, (value,))
    cur.execute("SELECT id FROM %(t)s WHERE data_type = '%(v)s'" % {"t": TABLE, "v": value})
    cur.execute("SELECT id FROM %s WHERE data_type LIKE 'per%%%%'" % ("sensors",))
