from pydantic import BaseModel, Field, field_validator

TABLE = "entity_facts"


class FactIn(BaseModel):
    data_type: str = Field("observation", description="the data_type of the fact")
    kind: str = Field(alias="data_type")

    @field_validator("data_type")
    @classmethod
    def known(cls, value: str) -> str:
        return value
