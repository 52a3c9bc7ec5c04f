# /// script
# requires-python = ">=3.10"
# dependencies = ["mcp>=2.3,<3"]
# ///
"""Calls a tool of an MCP server with a text: uv run client.py <address> <tool> <text>"""

import asyncio
import sys

from mcp import Client


async def main(address: str, tool: str, text: str) -> None:
    async with Client(address) as client:
        result = await client.call_tool(tool, {"text": text})
        print(result.content[0].text)


asyncio.run(main(*sys.argv[1:]))
