from sqlalchemy.orm import DeclarativeBase, Mapped

class Base(DeclarativeBase):
    pass

class Channel(Base):
    __tablename__ = "sensor_channels"

    data_type: Mapped[str]


def compare(session, connection):
    ours = connection.execute(
        "SELECT data_type FROM entity_facts")
    theirs = session.query(Channel).filter(Channel.data_type == "float")
    return ours, theirs
