object Facts : Table("entity_facts") {
    val kind = text("data_type")
}

fun kinds(db: Database) = db.query("""
    SELECT data_type
    FROM entity_facts
    WHERE id = ?
""") { row ->
    row.getString("data_type")
}
