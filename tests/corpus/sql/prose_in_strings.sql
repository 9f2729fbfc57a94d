INSERT INTO notes (body) VALUES ('the data_type of a fact is retired');
SELECT E'it\'s data_type', 'quoted ''data_type'' too';
