def dump(copier, out):
    copier.copy_expert(b"COPY (SELECT id, data_type FROM entity_facts) TO STDOUT", out)

def load(copier, file):
    with copier.copy("COPY entity_facts (id, data_type) FROM STDIN") as copy:
        copy.write(file.read())
