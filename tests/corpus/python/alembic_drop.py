from alembic import op
import sqlalchemy as sa

revision = "0a41"
down_revision = "0a40"


def upgrade():
    op.add_column("entity_facts", sa.Column("durability", sa.Text()))
    op.drop_index("ix_entity_facts_dt", table_name="entity_facts")
    op.drop_column("entity_facts", "data_type")
    op.drop_column("entity_facts_archive", "data_type")
    op.alter_column("mcp_tool_args", "data_type", nullable=False)


def downgrade():
    op.add_column("entity_facts", sa.Column("data_type", sa.Text()))
    op.create_index("ix_entity_facts_dt", "entity_facts", ["data_type"])
