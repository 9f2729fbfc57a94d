import pandas as pd

Q = "SELECT entity_id, data_type, confidence FROM entity_facts"


def report(engine):
    df = pd.read_sql(Q, engine)
    by_kind = df.groupby("data_type")["confidence"].mean()
    stale = df[df["data_type"].isin(["temporary", "observation"])]
    attr = df.data_type.value_counts()
    return by_kind, len(stale), attr
