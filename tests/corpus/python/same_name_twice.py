from sqlalchemy import Column, MetaData, Table


def facts(conn):
    table = Table("entity_facts", MetaData(), autoload_with=conn)
    return table.c.data_type


def sensors(conn):
    table = Table("sensors", MetaData(), Column("data_type"))
    return conn.execute("SELECT 1 FROM sensors")
