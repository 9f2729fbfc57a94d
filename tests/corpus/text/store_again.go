package store

import "database/sql"

type Fact struct {
	ID       int64  `db:"id"`
	Key      string `db:"key"`
	DataType string `db:"data_type" json:"kind"`
}

const recallSQL = `SELECT id, key, data_type FROM entity_facts WHERE entity_id = $1`

func columns(db *sql.DB, table string) (*sql.Rows, error) {
	return db.Query("SELECT data_type FROM information_schema.columns WHERE table_name = $1", table)
}
