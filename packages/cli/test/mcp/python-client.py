# A client of Python's package `mcp`, version 1 or 2, for a server on standard input and output.
import asyncio
import json
import sys

from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client


async def main():
    command, *args = sys.argv[1:]
    server = StdioServerParameters(command=command, args=args)
    async with stdio_client(server) as (read, write), ClientSession(read, write) as session:
        await session.initialize()
        tools = (await session.list_tools()).tools
        program = {"language": "sh", "code": "echo 42 > kept; cat kept"}
        result = await session.call_tool("execute_code", program)
        data = result.model_dump(mode="json", by_alias=True)
        kinds = [part["type"] for part in data["content"]]
        print(json.dumps({"tools": len(tools), "output": data["structuredContent"]["output"], "kinds": kinds}))


asyncio.run(main())
