let rows = sqlx::query!(r#"SELECT id, data_type FROM entity_facts WHERE key = $1"#, key);
struct Fact { data_type: String }
// data_type is old
let other = "it's"; let q = "SELECT data_type FROM sensors"; let s = "don't";
