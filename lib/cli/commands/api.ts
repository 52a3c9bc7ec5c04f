import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { AnyEndpoint } from '../../client/endpoints.ts';
import { command } from '../shell/command.ts';
import { Ended, UsageError } from '../shell/ends.ts';
import type { World } from '../shell/world.ts';

const REQUEST = /^(GET|POST|PUT|PATCH|DELETE)\s+(\/\S*)$/i;

export const api = command({
  name: 'api',
  args: 'REQUEST',
  says: 'Send a request to the API as you are, and print the answer',
  more: 'REQUEST is a method and a path, in quotes. docs/api.md has all of them.',
  examples: [
    "slipway api 'GET /v2/deployments?limit=1'",
    'slipway api \'PATCH /v2/deployments/ID\' -i \'{"display_name": "Agent"}\'',
    "slipway api 'POST /v2/webhooks' -i @webhook.json",
  ],
  flags: { input: { short: 'i', value: 'JSON', says: 'the body: JSON, @FILE, or - for stdin' } },
  async run(shell, { input }, [text = '']) {
    const [, method = '', path = ''] = REQUEST.exec(text.trim()) ?? [];
    if (method === '') throw new UsageError(`'${text}' is no request: 'GET /v2/deployments'.`);
    const isRead = method.toUpperCase() === 'GET';
    const body = input === undefined ? undefined : await jsonInput(shell.world, input);
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a person types whatever address they like
    const endpoint = `${method.toUpperCase()} ${path}` as AnyEndpoint;
    // A second request of what is not known here might do it twice.
    const client = shell.makeClient(isRead ? {} : { triesMax: 1 });
    const parts = body === undefined ? {} : { body };
    const answer = await client.open(endpoint, parts, { signal: shell.world.signal });
    const printed = await answer.text();
    const json = jsonOf(printed);
    if (json === undefined)
      return shell.output.result(printed, printed === '' ? [] : [printed.replace(/\n$/, '')]);
    const isPretty = shell.world.stdout.isTerminal && !shell.output.isJson;
    return shell.output.result(json, [JSON.stringify(json, undefined, isPretty ? 2 : undefined)]);
  },
});

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

/** JSON as it is, from a file or from stdin. Throws `UsageError` for what is none. */
export async function jsonInput(
  { stdin, cwd }: Pick<World, 'stdin' | 'cwd'>,
  input: string,
): Promise<unknown> {
  const text =
    input === '-'
      ? await stdin.text()
      : input.startsWith('@')
        ? fileText(resolve(cwd, input.slice(1)))
        : input;
  const json = jsonOf(text);
  if (json !== undefined) return json;
  throw new UsageError(`--input is no JSON: ${text.slice(0, 60)}`);
}

function fileText(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new Ended(`${file} cannot be read: ${error instanceof Error ? error.message : String(error)}`);
  }
}
