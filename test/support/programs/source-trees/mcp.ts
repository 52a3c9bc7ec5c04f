import { isTaken, REQUIREMENTS, type SourceTree, UVICORN, VENV } from './tree.ts';

export const mcpTrees: readonly SourceTree[] = [
  {
    name: 'an MCP server of the SDK',
    files: {
      'server.py': 'from mcp.server.fastmcp import FastMCP\nmcp = FastMCP("x")\n',
      'requirements.txt': 'mcp',
    },
    expected: isTaken(
      'an MCP server',
      'server.py',
      'uvicorn --factory server:mcp.streamable_http_app --host $HOST --port $PORT',
      { install: `${VENV}, then ${REQUIREMENTS}, then ${UVICORN}` },
    ),
  },
  {
    name: 'an MCP server of fastmcp',
    files: { 'main.py': 'from fastmcp import FastMCP\nmcp = FastMCP("x")\n', 'requirements.txt': 'fastmcp' },
    expected: isTaken(
      'an MCP server',
      'main.py',
      'uvicorn --factory main:mcp.http_app --host $HOST --port $PORT',
      { install: `${VENV}, then ${REQUIREMENTS}, then ${UVICORN}` },
    ),
  },
  {
    name: 'an MCP server whose application is an object of its own',
    files: {
      'server.py':
        'from mcp.server.mcpserver import MCPServer\nmcp = MCPServer("x")\napp = mcp.streamable_http_app(\n    stateless_http=True\n)\n',
      'requirements.txt': 'mcp',
    },
    expected: isTaken('an MCP server', 'server.py', 'uvicorn server:app --host $HOST --port $PORT', {
      install: `${VENV}, then ${REQUIREMENTS}, then ${UVICORN}`,
    }),
  },
  {
    name: 'an MCP server that runs itself when it is the program, which is not when it is imported',
    files: {
      'server.py': 'mcp = MCPServer("x")\n\nif __name__ == "__main__":\n    mcp.run()\n',
      'requirements.txt': 'mcp',
    },
    expected: isTaken(
      'an MCP server',
      'server.py',
      'uvicorn --factory server:mcp.streamable_http_app --host $HOST --port $PORT',
      { install: `${VENV}, then ${REQUIREMENTS}, then ${UVICORN}` },
    ),
  },
  {
    name: 'an MCP server that always runs itself, at PORT',
    files: {
      'src/server.py':
        'mcp = FastMCP("x", port=int(os.environ["PORT"]))\nasyncio.run(mcp.run_streamable_http_async())\n',
      'requirements.txt': 'mcp',
    },
    expected: isTaken('an MCP server', 'src/server.py', 'python src/server.py', {
      install: `${VENV}, then ${REQUIREMENTS}`,
    }),
  },
];
