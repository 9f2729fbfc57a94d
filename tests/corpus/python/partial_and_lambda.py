from functools import partial

fetch = partial(run, "SELECT id, data_type FROM entity_facts")
kinds = lambda: [r["data_type"] for r in fetch()]
