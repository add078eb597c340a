"""Prints the description of the variables of a program whose objects do harm when they are asked for anything."""

import json

main = {}
exec(sys.argv[1], main)
print(json.dumps(describe_variables({name: value for name, value in main.items() if name != "__builtins__"})))
