class Facts:
    QUERY = "SELECT * FROM entity_facts"

    def all(self, conn):
        return [self.shown(row) for row in conn.execute(self.QUERY)]

    def shown(self, row):
        return row["data_type"]


class Sensors:
    def all(self, conn):
        return conn.execute("SELECT id, data_type FROM sensors").fetchall()

    def shown(self, row):
        return row["data_type"]
