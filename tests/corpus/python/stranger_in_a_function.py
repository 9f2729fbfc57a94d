FACTS = "SELECT id FROM entity_facts"


def check(cur, fact, repo):
    cur.execute("SELECT data_type FROM information_schema.columns WHERE table_name = 'entity_facts'")
    expected = cur.fetchone()["data_type"]
    other = repo.newest()
    return expected, fact.data_type, other["data_type"]
