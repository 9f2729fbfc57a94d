PROMPT = """Extract facts for the table entity_facts.
Answer with JSON: {"key": "...", "data_type": "permanent" or "temporal"}
Choose data_type with care."""
EXAMPLE = '{"key": "name", "data_type": "identity"}'
