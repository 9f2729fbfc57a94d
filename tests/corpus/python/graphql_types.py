import strawberry


@strawberry.type
class FactType:
    id: int
    key: str
    data_type: str


@strawberry.type
class Query:
    @strawberry.field
    async def facts(self, info, entity_id: int) -> list[FactType]:
        rows = await info.context["pool"].fetch(
            'SELECT "id", "key", "data_type" FROM "entity_facts" WHERE "entity_id" = $1', entity_id
        )
        return [FactType(id=r["id"], key=r["key"], data_type=r["data_type"]) for r in rows]
