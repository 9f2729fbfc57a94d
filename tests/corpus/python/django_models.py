from django.db import models


class FactQuerySet(models.QuerySet):
    def durable(self):
        return self.filter(data_type="permanent")


class EntityFact(models.Model):
    entity_id = models.BigIntegerField()
    key = models.TextField()
    data_type = models.CharField(max_length=32, default="observation")

    objects = FactQuerySet.as_manager()

    class Meta:
        db_table = "entity_facts"
        managed = False
        indexes = [models.Index(fields=["data_type", "key"], name="ef_dt_key_idx")]


class ImportField(models.Model):
    name = models.CharField(max_length=64)
    data_type = models.CharField(max_length=16)

    class Meta:
        db_table = "import_fields"


def histogram():
    return EntityFact.objects.values("data_type").annotate(n=models.Count("id")).order_by("-n")


def csv_numbers():
    return ImportField.objects.filter(data_type="number").values_list("name", flat=True)
