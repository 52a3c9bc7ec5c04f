import { parsed, textAt } from '../logic/chat/json.ts';
import {
  ACCEPTS,
  answerIn,
  hello,
  INITIALIZED,
  PROTOCOL,
  question,
  type Tool,
  type ToolResult,
  toolResultOf,
  toolsOf,
} from '../logic/chat/mcp.ts';
import type { ServerHeader } from '../logic/server-request.ts';
import { type AgentAnswer, type AgentPlace, AgentRefusal, askAgent, textOfAnswer } from './agent.ts';
import { boundedEvents } from './bounded-events.ts';

/** A server pages its tools; one that goes on and on is cut off. */
const PAGES_MAX = 20;

/** What an MCP server said that it does not do. */
export class ToolRefusal extends Error {}

export type McpSession = {
  tools: readonly Tool[];
  /** As the server calls itself. */
  name: string | undefined;
  /** It keeps a session for each client. */
  isStateful: boolean;
  call: (tool: string, args: unknown, signal: AbortSignal) => Promise<ToolResult>;
};

/** Says hello to an MCP server, and reads what tools it has. Throws AgentRefusal where there is none at the path. */
export async function openMcp(place: AgentPlace, path: string, signal: AbortSignal): Promise<McpSession> {
  const connection = new Connection(place, path);
  const welcome = await connection.ask('initialize', hello, signal);
  connection.agree(textAt(welcome, 'protocolVersion'));
  await connection.tell(INITIALIZED, signal);
  const tools: Tool[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < PAGES_MAX; page += 1) {
    const result = await connection.ask('tools/list', cursor === undefined ? {} : { cursor }, signal);
    tools.push(...toolsOf(result));
    cursor = textAt(result, 'nextCursor');
    if (cursor === undefined) break;
  }
  return {
    tools,
    name: nameIn(welcome),
    isStateful: connection.isStateful,
    call: async (tool, args, gone) =>
      toolResultOf(await connection.ask('tools/call', { name: tool, arguments: args }, gone)),
  };
}

function nameIn(welcome: unknown): string | undefined {
  const info =
    typeof welcome === 'object' && welcome !== null && 'serverInfo' in welcome ? welcome.serverInfo : {};
  return textAt(info, 'title') ?? textAt(info, 'name');
}

class Connection {
  #id = 0;
  #session: string | undefined;
  #version: string | undefined;
  readonly #place: AgentPlace;
  readonly #path: string;

  constructor(place: AgentPlace, path: string) {
    this.#place = place;
    this.#path = path;
  }

  get isStateful(): boolean {
    return this.#session !== undefined;
  }

  /** Later requests say which version the two speak. */
  agree(version: string | undefined): void {
    this.#version = version ?? PROTOCOL;
  }

  async #send(body: unknown, signal: AbortSignal): Promise<AgentAnswer> {
    const headers: ServerHeader[] = [
      { name: 'Content-Type', value: 'application/json' },
      { name: 'Accept', value: ACCEPTS },
      ...(this.#session === undefined ? [] : [{ name: 'Mcp-Session-Id', value: this.#session }]),
      ...(this.#version === undefined ? [] : [{ name: 'MCP-Protocol-Version', value: this.#version }]),
    ];
    const call = { method: 'POST', path: this.#path, headers, body: JSON.stringify(body) } as const;
    const answer = await askAgent(this.#place, call, { signal });
    if (answer.status >= 200 && answer.status < 300) {
      this.#session = answer.headers['mcp-session-id'] ?? this.#session;
      return answer;
    }
    throw new AgentRefusal(answer.status, await textOfAnswer(answer));
  }

  async tell(message: unknown, signal: AbortSignal): Promise<void> {
    await textOfAnswer(await this.#send(message, signal));
  }

  async ask(method: string, params: unknown, signal: AbortSignal): Promise<unknown> {
    this.#id += 1;
    const id = this.#id;
    const answer = await this.#send(question(id, method, params), signal);
    const said = await answerOf(answer, id);
    if (said === undefined) throw new ToolRefusal('This is no answer of an MCP server.');
    if ('error' in said) throw new ToolRefusal(said.error);
    return said.result;
  }
}

/** One message, or events of which one is the answer. */
async function answerOf(answer: AgentAnswer, id: number): Promise<ReturnType<typeof answerIn>> {
  if (!(answer.headers['content-type'] ?? '').includes('text/event-stream'))
    return answerIn(parsed(await textOfAnswer(answer)), id);
  for await (const { data } of boundedEvents(answer.body)) {
    const said = data === '' ? undefined : answerIn(parsed(data), id);
    if (said !== undefined) return said;
  }
  return undefined;
}
