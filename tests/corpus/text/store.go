package store

const byType = `
SELECT id FROM entity_facts
WHERE data_type = $1`

type Fact struct {
	DataType string `db:"data_type"`
}
