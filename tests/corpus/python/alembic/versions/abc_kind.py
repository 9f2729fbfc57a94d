import sqlalchemy as sa
from alembic import op


def upgrade():
    op.add_column("entity_facts", sa.Column("data_type", sa.String(20)))
    op.create_check_constraint("chk_data_type", "entity_facts", "data_type IN ('permanent')")
    op.create_index("ix", "entity_facts", ["data_type"])
    op.add_column("sensors", sa.Column("data_type", sa.String(20)))


def downgrade():
    op.drop_column("sensors", "data_type")
    op.drop_column("entity_facts", "data_type")
    with op.batch_alter_table("entity_facts") as batch:
        batch.drop_column("data_type")
