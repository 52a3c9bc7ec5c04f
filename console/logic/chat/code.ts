import { isKeptBack, type ServerHeader } from '../server-request.ts';
import { agentUrl } from './reach.ts';

/** What the page would send, for who writes a program. */
export type Sent = {
  url: string;
  /** Undefined: a thread is made first. */
  threadId: string | undefined;
  assistant: string;
  body: { input?: unknown; command?: unknown; checkpoint?: unknown };
};

export const languages = ['curl', 'Python', 'TypeScript'] as const;
export type Language = (typeof languages)[number];

/** The key of an agent stands in this variable. */
export const KEY_VARIABLE = 'AGENT_KEY';

const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;
const json = (value: unknown): string => JSON.stringify(value, null, 2);
const indented = (text: string, by: string): string => text.replaceAll('\n', `\n${by}`);

/** How an agent is told who asks: a header, and what stands in it before the key. */
export type Sealed = { header: string; prefix: string };

/** The header that proves who asks, of those that were given; undefined: none was. */
export function sealOf(headers: readonly ServerHeader[]): Sealed | undefined {
  const found = headers.find(({ name }) => isKeptBack(name)) ?? headers[0];
  if (found === undefined) return undefined;
  return { header: found.name, prefix: /^(?:bearer|basic|token) /i.exec(found.value)?.[0] ?? '' };
}

const isApiKey = ({ header }: Sealed): boolean => header.toLowerCase() === 'x-api-key';

/** The same run from a program of one's own. `seal`: where the agent wants a key. */
export function codeOf(language: Language, sent: Sent, seal: Sealed | undefined): string {
  if (language === 'curl') return curl(sent, seal);
  return language === 'Python' ? python(sent, seal) : typescript(sent, seal);
}

/** The argument of curl that says who asks. */
export const curlSeal = (seal: Sealed | undefined): string[] =>
  seal === undefined ? [] : [`-H "${seal.header}: ${seal.prefix}$${KEY_VARIABLE}"`];

function curl({ url, threadId, assistant, body }: Sent, seal: Sealed | undefined): string {
  const key = curlSeal(seal);
  const type = "-H 'Content-Type: application/json'";
  const path = threadId === undefined ? '/threads/$THREAD/runs/stream' : `/threads/${threadId}/runs/stream`;
  const run = json({ assistant_id: assistant, ...body, stream_mode: ['messages-tuple'] });
  // The name of the thread is the shell's to fill in.
  const address = threadId === undefined ? `"${agentUrl(url, path)}"` : quoted(agentUrl(url, path));
  const made =
    threadId === undefined
      ? `THREAD=$(${[`curl -sS ${quoted(agentUrl(url, '/threads'))}`, ...key, type, "-d '{}'"].join(' \\\n  ')} |\n  jq -r .thread_id)\n\n`
      : '';
  return made + [`curl -sS -N ${address}`, ...key, type, `-d ${quoted(run)}`].join(' \\\n  ');
}

/** JSON is Python but for three words. Texts are left as they are. */
const pythonValue = (value: unknown): string =>
  json(value).replaceAll(/"(?:[^"\\]|\\.)*"|\b(?:true|false|null)\b/g, (found) => words[found] ?? found);
const words: Record<string, string | undefined> = { true: 'True', false: 'False', null: 'None' };

function pythonKey(seal: Sealed | undefined): string {
  if (seal === undefined) return '';
  const value = `os.environ["${KEY_VARIABLE}"]`;
  if (isApiKey(seal)) return `    api_key=${value},\n`;
  const prefix = seal.prefix === '' ? '' : `${json(seal.prefix)} + `;
  return `    headers={${json(seal.header)}: ${prefix}${value}},\n`;
}

function python({ url, threadId, assistant, body }: Sent, seal: Sealed | undefined): string {
  const key = pythonKey(seal);
  const given = Object.entries(body).map(
    ([name, value]) => `    ${name}=${indented(pythonValue(value), '    ')},\n`,
  );
  const thread = threadId === undefined ? 'client.threads.create()["thread_id"]' : json(threadId);
  return `${seal === undefined ? '' : 'import os\n'}from langgraph_sdk import get_sync_client

client = get_sync_client(
    url=${json(agentUrl(url, ''))},
${key})
thread_id = ${thread}
for part in client.runs.stream(
    thread_id,
    ${json(assistant)},
${given.join('')}    stream_mode="messages-tuple",
):
    print(part.event, part.data)
`;
}

function typescriptKey(seal: Sealed | undefined): string {
  if (seal === undefined) return '';
  const value = `process.env.${KEY_VARIABLE}`;
  if (isApiKey(seal)) return `  apiKey: ${value},\n`;
  return `  defaultHeaders: { ${json(seal.header)}: \`${seal.prefix}\${${value}}\` },\n`;
}

function typescript({ url, threadId, assistant, body }: Sent, seal: Sealed | undefined): string {
  const key = typescriptKey(seal);
  const given = Object.entries(body).map(([name, value]) => `  ${name}: ${indented(json(value), '  ')},\n`);
  const made = threadId === undefined ? 'const { thread_id } = await client.threads.create();\n' : '';
  return `import { Client } from "@langchain/langgraph-sdk";

const client = new Client({
  apiUrl: ${json(agentUrl(url, ''))},
${key}});
${made}const run = client.runs.stream(${threadId === undefined ? 'thread_id' : json(threadId)}, ${json(assistant)}, {
${given.join('')}  streamMode: "messages-tuple",
});
for await (const part of run) console.log(part.event, part.data);
`;
}
