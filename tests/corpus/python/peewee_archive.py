from peewee import BigIntegerField, CharField, DateTimeField, Model, PostgresqlDatabase

db = PostgresqlDatabase("memory")


class ArchivedFact(Model):
    entity_id = BigIntegerField()
    data_type = CharField()
    archived_at = DateTimeField()

    class Meta:
        database = db
        table_name = "entity_facts_archive"


def purge_temporary(before):
    return (
        ArchivedFact.delete()
        .where((ArchivedFact.data_type == "temporary") & (ArchivedFact.archived_at < before))
        .execute()
    )


def restore_as_observation(fact_id):
    ArchivedFact.update(data_type="observation").where(ArchivedFact.id == fact_id).execute()
