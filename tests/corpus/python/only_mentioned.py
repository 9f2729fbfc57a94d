def parse(message):
    data_type = message.data_type
    return {"data_type": data_type}
