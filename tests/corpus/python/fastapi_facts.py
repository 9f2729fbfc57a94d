from fastapi import APIRouter, Depends
from pydantic import BaseModel

from .db import get_conn

router = APIRouter()


class FactIn(BaseModel):
    entity_id: int
    key: str
    value: str
    data_type: str = "observation"


class UploadIn(BaseModel):
    filename: str
    data_type: str = "csv"


@router.post("/uploads")
async def create_upload(up: UploadIn, conn=Depends(get_conn)):
    await conn.execute("INSERT INTO uploads (filename, data_type) VALUES ($1, $2)", up.filename, up.data_type)


@router.post("/facts")
async def create_fact(fact: FactIn, conn=Depends(get_conn)):
    row = await conn.fetchrow(
        "INSERT INTO entity_facts (entity_id, key, value, data_type) "
        "VALUES ($1, $2, $3, $4) RETURNING id",
        fact.entity_id,
        fact.key,
        fact.value,
        fact.data_type,
    )
    return {"id": row["id"], "data_type": fact.data_type}
