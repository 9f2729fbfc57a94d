import sqlite3


def seed(path, items):
    db = sqlite3.connect(path)
    db.execute(
        "CREATE TABLE IF NOT EXISTS entity_facts ("
        " id INTEGER PRIMARY KEY, entity_id INTEGER, key TEXT, value TEXT,"
        " data_type TEXT DEFAULT 'observation')"
    )
    db.executemany(
        "INSERT OR IGNORE INTO entity_facts (entity_id, key, value, data_type) VALUES (?, ?, ?, ?)",
        items,
    )
    db.commit()
