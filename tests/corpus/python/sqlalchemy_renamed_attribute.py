class Fact(Base):
    __tablename__ = "entity_facts"
    kind = mapped_column("data_type", String)
    durability = mapped_column(String)
