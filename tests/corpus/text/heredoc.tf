resource "postgresql_function" "types" {
  body = <<-SQL
    SELECT data_type
    FROM entity_facts
    WHERE id = ${var.id}
  SQL
}
