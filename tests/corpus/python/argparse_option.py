import argparse

TABLE = "entity_facts"
parser = argparse.ArgumentParser()
parser.add_argument("--data-type", dest="data_type", help="the data_type of the fact")
args = parser.parse_args()
print(args.data_type)
