from alembic import op
import sqlalchemy as sa


def upgrade():
    with op.batch_alter_table("sensors") as batch:
        batch.add_column(sa.Column("data_type", sa.Text()))
    with op.batch_alter_table("entity_facts") as batch:
        batch.drop_column("data_type")
        batch.create_index("ix", ["data_type"])
