import { fieldAt, isRecord, type Json, listAt, parsed, textAt } from './json.ts';

/**
 * What a page speaks with an MCP server: JSON-RPC over HTTP (the transport "streamable HTTP"), one question
 * at a time. The official client brings more than a page needs.
 */

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

/** The call of a tool for a terminal: servers that keep sessions want the first of three requests to be a hello. */
export function mcpCurl(url: string, tool: string, args: unknown, isSecured: boolean): string {
  const body = JSON.stringify(question(1, 'tools/call', { name: tool, arguments: args }), null, 2);
  return [
    `curl -sS ${quoted(url)}`,
    ...(isSecured ? ['-H "Authorization: Bearer $AGENT_KEY"'] : []),
    "-H 'Content-Type: application/json'",
    `-H 'Accept: ${ACCEPTS}'`,
    `-H 'MCP-Protocol-Version: ${PROTOCOL}'`,
    `-d ${quoted(body)}`,
  ].join(' \\\n  ');
}
