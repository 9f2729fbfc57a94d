from django.db import models


class Fact(models.Model):
    data_type = models.CharField(max_length=20, null=True)
    key = models.TextField()

    class Meta:
        db_table = "entity_facts"
        indexes = [models.Index(fields=["data_type"])]


class Sensor(models.Model):
    data_type = models.CharField(max_length=20)

    class Meta:
        db_table = "sensors"


def find():
    Fact.objects.filter(data_type="permanent").order_by("-data_type")
    Fact.objects.exclude(data_type__in=["temporal"]).values("data_type")
    Fact.objects.create(data_type="identity", key="k")
    Sensor.objects.filter(data_type="float").values_list("data_type")
    Fact.objects.filter(models.Q(data_type="permanent") | models.Q(key="x")).update(data_type=None)
