import numpy as np
import pyarrow as pa


def schema(table: pa.Table) -> list[str]:
    kinds = [field.data_type for field in table.schema]
    return [np.dtype(k) for k in kinds if k.data_type != pa.string()]
