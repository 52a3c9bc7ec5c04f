import { curlSeal, type Sealed } from './code.ts';
import { fieldAt, isRecord, type Json, listAt, parsed, textAt } from './json.ts';

/**
 * What a page speaks with an MCP server: JSON-RPC over HTTP (the transport "streamable HTTP"), one question
 * at a time. The official client brings more than a page needs.
 */

/** Where servers are by agreement. */
export const MCP_PATH = '/mcp';
export const PROTOCOL = '2025-06-18';
export const ACCEPTS = 'application/json, text/event-stream';

/** What the server is told first, and what it is told when that was answered. */
export const hello = {
  protocolVersion: PROTOCOL,
  capabilities: {},
  clientInfo: { name: 'slipway-console', version: '1' },
};
export const INITIALIZED = { jsonrpc: '2.0', method: 'notifications/initialized' };

export const question = (id: number, method: string, params: unknown): Json => ({
  jsonrpc: '2.0',
  id,
  method,
  params,
});

/** What is said of the question with this id, in a message or one of several. Undefined: nothing. */
export function answerIn(message: unknown, id: number): { result: unknown } | { error: string } | undefined {
  const all = Array.isArray(message) ? (message as unknown[]) : [message];
  const found = all.find((each) => fieldAt(each, 'id') === id);
  if (found === undefined) return undefined;
  const error = fieldAt(found, 'error');
  if (error !== undefined) return { error: textAt(error, 'message') ?? JSON.stringify(error) };
  return { result: fieldAt(found, 'result') };
}

export type Tool = { name: string; title: string; about: string; schema: unknown; isDangerous: boolean };

export const toolsOf = (result: unknown): Tool[] =>
  listAt(result, 'tools').flatMap((tool) => {
    const name = textAt(tool, 'name');
    if (name === undefined) return [];
    const notes = fieldAt(tool, 'annotations');
    return {
      name,
      title: textAt(tool, 'title') ?? textAt(notes, 'title') ?? name,
      about: (textAt(tool, 'description') ?? '').slice(0, 4_000).trim(),
      schema: fieldAt(tool, 'inputSchema'),
      isDangerous: fieldAt(notes, 'destructiveHint') === true && fieldAt(notes, 'readOnlyHint') !== true,
    };
  });

export type ToolResult = {
  isError: boolean;
  parts: ({ text: string } | { value: unknown })[];
};

/** What a tool has answered: texts, and all else as a value. */
export function toolResultOf(result: unknown): ToolResult {
  const structured = fieldAt(result, 'structuredContent');
  const parts = listAt(result, 'content').map((part) => {
    const text = textAt(part, 'type') === 'text' ? textAt(part, 'text') : undefined;
    if (text === undefined) return { value: withoutBytes(part) };
    const value = parsed(text);
    return isRecord(value) || Array.isArray(value) ? { value } : { text };
  });
  const isError = fieldAt(result, 'isError') === true;
  return { isError, parts: parts.length === 0 && structured !== undefined ? [{ value: structured }] : parts };
}

/** A picture or a sound is said to be there: its bytes are nothing to read. */
function withoutBytes(part: unknown): unknown {
  const data = textAt(part, 'data');
  return isRecord(part) && data !== undefined
    ? { ...part, data: `${data.length} characters of base64` }
    : part;
}

const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

type Asked = { method: string; params: unknown };
type How = {
  seal: Sealed | undefined;
  /** The server wants a hello first, and gives a session that each question names. */
  isStateful: boolean;
};

/** A question for a terminal. */
export function mcpCurl(url: string, { method, params }: Asked, { seal, isStateful }: How): string {
  const common = [
    quoted(url),
    ...curlSeal(seal),
    "-H 'Content-Type: application/json'",
    `-H 'Accept: ${ACCEPTS}'`,
  ];
  const body = JSON.stringify(question(1, method, params), null, 2);
  const first = JSON.stringify(question(0, 'initialize', hello), null, 2);
  const begins = ['curl -sS -o /dev/null -D -', ...common, `-d ${quoted(first)} |`].join(' \\\n  ');
  const session = `SESSION=$(${begins}\n  tr -d '\\r' | awk 'tolower($1) == "mcp-session-id:" { print $2 }')\n\n`;
  const asks = [
    'curl -sS',
    ...common,
    `-H 'MCP-Protocol-Version: ${PROTOCOL}'`,
    ...(isStateful ? ['-H "Mcp-Session-Id: $SESSION"'] : []),
    `-d ${quoted(body)}`,
  ].join(' \\\n  ');
  return isStateful ? session + asks : asks;
}

/** What clients such as Cursor and Claude keep of a server. */
export const mcpConfig = (name: string, url: string): string =>
  JSON.stringify({ mcpServers: { [name]: { type: 'http', url } } }, null, 2);
