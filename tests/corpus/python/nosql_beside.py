class Memory:
    def kinds(self):
        return self.pg.execute("SELECT DISTINCT data_type FROM entity_facts").fetchall()


class Sensors:
    def kinds(self):
        return self.pg.execute("SELECT DISTINCT data_type FROM sensor_readings").fetchall()
