class Fact(Model):
    data_type = CharField(null=True)

    class Meta:
        table_name = "entity_facts"


class Reading(Model):
    data_type = CharField()

    class Meta:
        table_name = "readings"


Fact.select().where((Fact.data_type == "permanent") & (Fact.id > 3))
Reading.update(data_type="x").where(Reading.data_type << ["y"])
