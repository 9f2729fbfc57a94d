class Facts:
    table = "entity_facts"

    def load(self, cur):
        cur.execute(f"SELECT data_type FROM {self.table}")


class Sensors:
    table = "sensors"

    def load(self, cur):
        cur.execute(f"SELECT data_type FROM {self.table}")
        cur.execute(f"SELECT data_type FROM {Facts.table}")
