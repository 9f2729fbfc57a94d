COPY entity_facts (id, value, data_type) FROM stdin;
1	uses data_type	identity
2	SELECT data_type FROM entity_facts;	permanent
\.
SELECT data_type FROM entity_facts;
COPY sensors (id, data_type) FROM stdin;
7	float
\.
