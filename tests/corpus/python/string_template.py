from string import Template

TABLE = "entity_facts"

ASK = Template("SELECT key, data_type FROM $table WHERE id = $id")

def kinds(rows):
    return {row["data_type"] for row in rows}

def ask(cur, fact_id):
    cur.execute(ASK.substitute(table=TABLE, id=int(fact_id)))
