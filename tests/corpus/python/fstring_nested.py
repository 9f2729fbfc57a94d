def show(cur, fact, rows):
    cur.execute("SELECT * FROM entity_facts")
    a = f"{fact.data_type}"
    b = f"{fact.data_type!r:>10} {{data_type}} {rows['data_type']}"
    c = f"""
    ä {fact.data_type}
       {fact.data_type:{rows[0].data_type}} ö {rows[0]["data_type"]}
    """
    d = f"{', '.join(f'{r.data_type}' for r in rows)} and {fact.data_type=}"
    return a, b, c, d
