import { createServer } from 'node:http';
import { count, shout } from '@mcp-server/words';
import { toNodeHandler } from '@modelcontextprotocol/node';
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server';
import * as z from 'zod';

const VERSION = 'v1';
const { ENDING = '!', HOST = '127.0.0.1', PORT = '8000' } = process.env;

function words(): McpServer {
  const server = new McpServer({ name: 'words', version: VERSION });
  const input = z.object({ text: z.string() });
  server.registerTool(
    'shout',
    { description: 'Says a text in capitals.', inputSchema: input },
    ({ text }) => ({
      content: [{ type: 'text', text: `${VERSION}: ${shout(text)}${ENDING}` }],
    }),
  );
  server.registerTool(
    'count',
    { description: 'Counts the words of a text.', inputSchema: input },
    ({ text }) => ({
      content: [{ type: 'text', text: String(count(text)) }],
    }),
  );
  return server;
}

// A server for each request keeps nothing between two, so any replica may answer.
const mcp = toNodeHandler(createMcpHandler(words));

createServer((request, response) => {
  if (request.url === '/mcp') void mcp(request, response);
  else response.writeHead(request.url === '/ok' ? 200 : 404).end();
}).listen(Number(PORT), HOST);
