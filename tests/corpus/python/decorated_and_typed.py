from typing import Annotated, Literal

TABLE = "entity_facts"
data_type = Literal["permanent", "identity"]


@app.get("/facts/{data_type}")
def facts(data_type: Annotated[data_type, "the axis"]) -> list[str]:
    return []
