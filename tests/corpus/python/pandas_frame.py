import pandas as pd


def facts(engine):
    df = pd.read_sql("SELECT * FROM entity_facts", engine)
    a = df["data_type"].value_counts()
    b = df[df.data_type == "permanent"]
    c = df.loc[df["data_type"].isin(["permanent", "identity"]), ["id", "data_type"]]
    df["data_type"] = df["data_type"].fillna("observation")
    d = df.groupby("data_type").size()
    e = df.query("data_type == 'permanent'")
    f = df.rename(columns={"data_type": "kind"})
    return a, b, c, d, e, f


def sensors(engine):
    df = pd.read_sql_query("SELECT data_type FROM sensors", engine)
    return df.data_type.unique(), df[["data_type"]]
