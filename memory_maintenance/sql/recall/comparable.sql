-- Whether an embedding has as many dimensions as the query's: others can't be compared, and one of them would be an error. A fragment.
-- Parameters: query. Slots: dims: pgvector's function vector_dims; vector: the column's type.
{dims}(e.embedding) = {dims}(%(query)s::{vector})
