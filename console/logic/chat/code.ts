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

/** The same run from a program of one's own. `isSecured`: the agent wants a key. */
export function codeOf(language: Language, sent: Sent, isSecured: boolean): string {
  if (language === 'curl') return curl(sent, isSecured);
  return language === 'Python' ? python(sent, isSecured) : typescript(sent, isSecured);
}

function curl({ url, threadId, assistant, body }: Sent, isSecured: boolean): string {
  const key = isSecured ? [`-H "X-Api-Key: $${KEY_VARIABLE}"`] : [];
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

function python({ url, threadId, assistant, body }: Sent, isSecured: boolean): string {
  const key = isSecured ? `    api_key=os.environ["${KEY_VARIABLE}"],\n` : '';
  const given = Object.entries(body).map(
    ([name, value]) => `    ${name}=${indented(pythonValue(value), '    ')},\n`,
  );
  const thread = threadId === undefined ? 'client.threads.create()["thread_id"]' : json(threadId);
  return `${isSecured ? 'import os\n' : ''}from langgraph_sdk import get_sync_client

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

function typescript({ url, threadId, assistant, body }: Sent, isSecured: boolean): string {
  const key = isSecured ? `  apiKey: process.env.${KEY_VARIABLE},\n` : '';
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
