import pandas as pd


def profile(df: pd.DataFrame) -> pd.DataFrame:
    out = []
    for name in df.columns:
        data_type = str(df[name].dtype)
        out.append({"column": name, "kind": data_type})
    return pd.DataFrame(out)
