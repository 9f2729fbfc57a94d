from dataclasses import dataclass


@dataclass
class AvroField:
    name: str
    data_type: str

    def render(self):
        return {"name": self.name, "type": self.data_type}


FIELDS = [AvroField(name="ts", data_type="long"), AvroField(name="host", data_type="string")]
