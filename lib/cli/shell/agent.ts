import type { Deployment } from '../../client/endpoints.ts';
import { eventsIn } from '../../client/event-stream.ts';
import { withoutTrailing } from '../../contract/trailing.ts';
import { Ended, UsageError } from './ends.ts';
import type { World } from './world.ts';

export const agentFlags = {
  graph: { value: 'NAME', says: 'which graph, where there are several' },
  header: { value: "'NAME: VALUE'", multiple: true, says: 'sent to the agent, as for its own sign-in' },
} as const;

const GRAPHS_MAX = 100;

/** The agent server of a deployment. It is given no credential of this program: whoever wrote it would have that. */
export class Agent {
  readonly name: string;
  readonly #url: string;
  readonly #headers: Record<string, string>;
  readonly #world: Pick<World, 'fetch' | 'signal'>;

  constructor({ name, url }: Pick<Deployment, 'name' | 'url'>, headers: readonly string[], world: World) {
    if (url === null)
      throw new Ended(`${name} has no address: it does not serve. slipway why ${name} tells why.`);
    this.name = name;
    this.#url = withoutTrailing(url, '/');
    this.#headers = Object.fromEntries(headers.map(headerOf));
    this.#world = world;
  }

  async #open(path: string, body: unknown): Promise<Response> {
    const { fetch, signal } = this.#world;
    const headers = { ...this.#headers, 'Content-Type': 'application/json' };
    const answer = await fetch(this.#url + path, {
      method: 'POST',
      headers,
      body: JSON.stringify(body),
      signal,
      // What is meant for the agent is sent to no other server.
      redirect: 'manual',
    }).catch((error: unknown) => {
      if (signal.aborted) throw error;
      throw new Ended(`${this.#url} does not answer.`);
    });
    if (answer.ok) return answer;
    const text = (await answer.text()).slice(0, 500);
    throw new Ended(`${this.name} answered POST ${path} with ${answer.status}: ${text}`, undefined, {
      status: answer.status,
    });
  }

  async ask(path: string, body: unknown): Promise<unknown> {
    return (await this.#open(path, body)).json();
  }

  /** The events of a run as they come. */
  async *stream(path: string, body: unknown): AsyncGenerator<{ kind: string | undefined; data: unknown }> {
    const answer = await this.#open(path, body);
    for await (const { kind, data } of eventsIn(answer.body))
      if (data !== '') yield { kind, data: JSON.parse(data) as unknown };
  }

  /** The graph to run: the one that is named, else the only one. Throws where it is not clear. */
  async graph(wanted: string | undefined): Promise<string> {
    if (wanted !== undefined) return wanted;
    const found = await this.ask('/assistants/search', { limit: GRAPHS_MAX }).catch((error: unknown) => {
      if (error instanceof Ended && 'status' in error.more && error.more.status === 404)
        throw new Ended(`${this.name} is no server of graphs: slipway open ${this.name} has its address.`);
      throw error;
    });
    const graphs = new Set(Array.isArray(found) ? found.map((one: unknown) => textAt(one, 'graph_id')) : []);
    const names = [...graphs].filter((name) => name !== undefined);
    const [only] = names;
    if (only !== undefined && names.length === 1) return only;
    if (only === undefined) throw new Ended(`${this.name} has no graph.`);
    throw new UsageError(`Which graph? --graph ${names.join(', --graph ')}`);
  }
}

function headerOf(text: string): [string, string] {
  const at = text.indexOf(':');
  if (at < 1) throw new UsageError(`--header is 'Name: value', not '${text}'.`);
  return [text.slice(0, at).trim(), text.slice(at + 1).trim()];
}

/** The field of an object; undefined: it is none, or has no such field. */
export const fieldAt = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? Reflect.get(value, name)
    : undefined;

export function textAt(value: unknown, name: string): string | undefined {
  const field = fieldAt(value, name);
  return typeof field === 'string' ? field : undefined;
}

/** The text of a message: a string, or parts of which some are texts. */
export function messageText(message: unknown): string {
  const content = fieldAt(message, 'content');
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  return content
    .map((part: unknown) => (typeof part === 'string' ? part : (textAt(part, 'text') ?? '')))
    .join('');
}

/** What the last message of a state says; undefined: it has none, or a person wrote it. */
export function lastReply(state: unknown): string | undefined {
  const messages = fieldAt(state, 'messages');
  const last: unknown = Array.isArray(messages) ? messages.at(-1) : undefined;
  const isPerson = ['human', 'user'].includes(textAt(last, 'type') ?? textAt(last, 'role') ?? '');
  const text = isPerson ? '' : messageText(last);
  return text === '' ? undefined : text;
}
