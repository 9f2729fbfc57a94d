QUERY = "SELECT id,\n\tdata_type\x20FROM\u0020entity_facts\n"
NAMED = "SELECT \N{LATIN SMALL LETTER E} FROM x; SELECT data_type FROM \
entity_facts"; ÜBER = "Ärger 日本"; AGAIN = u"/* ñandú 日本 */ SELECT data_type FROM entity_facts"
RAW = R'''SELECT regexp_replace(note, '\n', '') AS ñ, data_type
FROM entity_facts'''
BYTES = b"DELETE FROM entity_facts WHERE data_type = 'temporal'"
