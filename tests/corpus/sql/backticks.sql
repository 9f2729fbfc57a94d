SELECT `data_type` FROM `entity_facts`;
INSERT INTO `entity_facts` (`id`, `data_type`) VALUES (1, 'x');
