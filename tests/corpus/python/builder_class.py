class Select:
    def __init__(self, table):
        self.table, self.cols, self.conds = table, [], []

    def columns(self, *cols):
        self.cols.extend(cols)
        return self

    def where(self, cond):
        self.conds.append(cond)
        return self

    def sql(self):
        return f"SELECT {', '.join(self.cols)} FROM {self.table} WHERE {' AND '.join(self.conds)}"


def durable():
    return Select("entity_facts").columns("id", "key", "data_type").where("data_type = 'permanent'").sql()


def numeric_params():
    return Select("tool_parameters").columns("id", "data_type").where("data_type = 'number'").sql()
