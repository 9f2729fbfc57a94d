TOOL = {
    "name": "plot",
    "description": "Draw a chart",
    "parameters": {
        "type": "object",
        "properties": {
            "series": {"type": "array"},
            "data_type": {"type": "string", "enum": ["int", "float"]},
        },
    },
}


def coerce(args):
    if args.get("data_type") == "int":
        return [int(x) for x in args["series"]]
    return [float(x) for x in args["series"]]
