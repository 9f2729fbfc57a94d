from sqlmodel import Field, SQLModel

TABLE = "entity_facts"


class Fact(SQLModel, table=True):
    __tablename__ = TABLE
    data_type: str | None = Field(default=None, max_length=20)


class FactIn(SQLModel):
    data_type: str = "observation"
