from django.db import migrations, models


class Migration(migrations.Migration):
    operations = [
        migrations.CreateModel(
            name="Fact",
            fields=[("key", models.TextField()), ("data_type", models.CharField(max_length=20))],
            options={"db_table": "entity_facts"},
        ),
        migrations.AddField(model_name="entityfact", name="data_type", field=models.TextField()),
        migrations.RunSQL("UPDATE entity_facts SET data_type = 'observation'"),
    ]
