SELECT "f"."data_type" FROM "public"."entity_facts" AS "f";
SELECT "Entity_Facts"."data_type" FROM "Entity_Facts";
INSERT INTO audit_log (message) VALUES ('dropped data_type from entity_facts');
