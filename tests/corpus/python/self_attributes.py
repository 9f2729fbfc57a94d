class Store:
    table = "entity_facts"

    def __init__(self, conn, other="sensors"):
        self.conn = conn
        self.other = other

    def load(self):
        self.conn.execute(f"SELECT data_type FROM {self.table}")
        self.conn.execute(f"SELECT data_type FROM {self.other}")
