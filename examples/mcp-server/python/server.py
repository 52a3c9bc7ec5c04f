"""An MCP server with two tools, at /mcp."""

import os

from mcp.server.mcpserver import MCPServer
from mcp.server.transport_security import TransportSecuritySettings
from starlette.requests import Request
from starlette.responses import Response

VERSION = "v1"

mcp = MCPServer("words", version=VERSION)


@mcp.tool()
def shout(text: str) -> str:
    """Says a text in capitals."""
    return f"{VERSION}: {text.upper()}{os.environ.get('ENDING', '!')}"


@mcp.tool()
def count(text: str) -> int:
    """Counts the words of a text."""
    return len(text.split())


@mcp.custom_route("/ok", methods=["GET"])
async def ok(_: Request) -> Response:
    return Response()


# Where HOST is this machine's own address, the SDK answers requests for localhost alone, against DNS rebinding.
hosts = os.environ.get("ALLOWED_HOSTS")
security = TransportSecuritySettings(allowed_hosts=hosts.split(",")) if hosts else None

# Without sessions nothing is kept between two requests, so a new version may answer the next one.
app = mcp.streamable_http_app(
    stateless_http=True,
    json_response=True,
    host=os.environ.get("HOST", "127.0.0.1"),
    transport_security=security,
)
