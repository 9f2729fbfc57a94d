from facts import data_type, data_type as kind
import facts.data_type as module

TABLE = "entity_facts"
