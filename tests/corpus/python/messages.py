import logging
import warnings

logger = logging.getLogger("entity_facts")


def check(value, console):
    logger.warning("data_type %s is unknown", value)
    print(f"the data_type is {value}")
    print("data_type: " + value)
    assert value, "a data_type must be given"
    warnings.warn("data_type is retired, update durability", stacklevel=2)
    console.print("unknown data_type")
    raise ValueError("unknown data_type: " + str(value))
