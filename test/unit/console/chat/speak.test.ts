import { execFileSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { codeOf, languages } from '../../../../console/logic/chat/code.ts';
import { answerIn, mcpCurl, toolResultOf, toolsOf } from '../../../../console/logic/chat/mcp.ts';
import { isAmong, isDirect, studioAddress } from '../../../../console/logic/chat/reach.ts';
import { assistantsOf, checkpointsOf, threadsOf } from '../../../../console/logic/chat/threads.ts';

const sent = {
  url: 'https://a.example/d/t/agent/',
  threadId: undefined,
  assistant: 'agent',
  body: { input: { messages: [{ role: 'user', content: `it's "true", \\null` }], ok: true, none: null } },
};

it('curl sends exactly what the page would, on a new thread and on one that is there', () => {
  const script = `curl() { printf '%s\\n' "$@" >&2; echo '{}'; }\njq() { echo T1; }\n`;
  const run = (text: string) =>
    execFileSync('sh', ['-c', `{ ${script}${text}\n} 2>&1`], { encoding: 'utf8' });
  const said = run(codeOf('curl', sent, false));
  expect(said).toContain('https://a.example/d/t/agent/threads/T1/runs/stream');
  const body = said.slice(said.lastIndexOf('-d\n') + 3, said.lastIndexOf('{}'));
  expect(JSON.parse(body)).toEqual({ assistant_id: 'agent', ...sent.body, stream_mode: ['messages-tuple'] });
  const there = codeOf('curl', { ...sent, threadId: 'a-1' }, true);
  expect(there).toMatch(
    /^curl -sS -N 'https:\/\/a\.example\/d\/t\/agent\/threads\/a-1\/runs\/stream' \\\n {2}-H "X-Api-Key: \$AGENT_KEY"/,
  );
});

it('Python reads what the page would send, with its own words for three values', () => {
  const code = codeOf('Python', { ...sent, threadId: 'a-1' }, true);
  const given = /input=(?<value>[\s\S]*),\n {4}stream_mode/.exec(code)?.groups?.value ?? '';
  const said = execFileSync('python3', ['-c', `import json\nprint(json.dumps(${given}))`], {
    encoding: 'utf8',
  });
  expect(JSON.parse(said)).toEqual(sent.body.input);
  expect(code).toContain('api_key=os.environ["AGENT_KEY"]');
  expect(codeOf('Python', sent, false)).not.toContain('os');
});

it('no language has a key in it', () => {
  for (const language of languages) expect(codeOf(language, sent, true)).toMatch(/AGENT_KEY/);
  expect(codeOf('TypeScript', sent, false)).toContain('apiUrl: "https://a.example/d/t/agent" });');
});

it('an agent is asked by the page itself where its origin is among those of the policy', () => {
  const allowed = ['http://localhost:4401', 'https://*.agents.example'];
  expect(isAmong('https://a.agents.example', allowed)).toBe(true);
  for (const origin of [
    'https://agents.example',
    'https://.agents.example',
    'http://a.agents.example',
    'https://aagents.example',
    'http://localhost:44012',
  ])
    expect([origin, isAmong(origin, allowed)]).toEqual([origin, false]);
  expect([
    isDirect('http://localhost:4401/d/x', allowed),
    isDirect(null, allowed),
    isDirect('x', allowed),
  ]).toEqual([true, false, false]);
});

it('Studio is for addresses that a browser elsewhere trusts', () => {
  expect(studioAddress('https://a.example/d/t/x/')).toBe(
    'https://smith.langchain.com/studio/?baseUrl=https%3A%2F%2Fa.example%2Fd%2Ft%2Fx',
  );
  expect(studioAddress('http://localhost:4401/d/x')).toContain('localhost%3A4401');
  expect([studioAddress('http://10.0.0.1/x'), studioAddress('x')]).toEqual([undefined, undefined]);
});

it('threads have a title, be it given or what was said first', () => {
  const message = { type: 'human', content: [{ type: 'text', text: `  a\n${'b'.repeat(200)}` }] };
  expect(
    threadsOf([
      { thread_id: '1', status: 'interrupted', metadata: { title: 'Refund', graph_id: 'g' }, values: null },
      { thread_id: '2', status: 'new words', values: { messages: [message] } },
      { thread_id: '3', values: {} },
      'none',
    ]).map(({ id, title, status, graph }) => [id, title, status, graph]),
  ).toEqual([
    ['1', 'Refund', 'interrupted', 'g'],
    ['2', `a ${'b'.repeat(77)}…`, 'idle', undefined],
    ['3', 'Thread without messages', 'idle', undefined],
  ]);
  expect(threadsOf({ detail: 'no' })).toEqual([]);
});

it('the assistants of graphs come before those that somebody made', () => {
  const made = (name: string, graph: string) => ({ assistant_id: name, graph_id: graph, name });
  const found = [made('b', 'b'), made('mine', 'agent'), made('a', 'a'), made('agent', 'agent'), {}];
  expect(assistantsOf(found).map(({ name }) => name)).toEqual(['agent', 'a', 'b', 'mine']);
});

it('the places of a thread that one can go on from are said in words', () => {
  const checkpoint = { checkpoint_id: 'c', thread_id: 't', checkpoint_ns: '' };
  const history = [
    {
      checkpoint,
      next: [],
      metadata: { step: 3 },
      values: { messages: [{}] },
      created_at: '2026-11-27T00:00:00Z',
    },
    { checkpoint_id: 'old', next: ['ask', 'look'], values: null },
    {},
  ];
  expect(checkpointsOf(history)).toMatchObject([
    { id: 'c', checkpoint, says: 'The end', step: 3, messages: 1 },
    { id: 'old', checkpoint: { checkpoint_id: 'old' }, says: 'Before ask, look', messages: 0 },
  ]);
});

it('an MCP server is understood: its tools, its answers, and what it refuses', () => {
  const tool = {
    name: 'shout',
    description: 'Loud',
    inputSchema: {},
    annotations: { destructiveHint: true },
  };
  expect(toolsOf({ tools: [tool, {}] })).toMatchObject([
    { name: 'shout', title: 'shout', isDangerous: true },
  ]);
  expect(answerIn([{ method: 'log' }, { id: 2, result: 1 }], 2)).toEqual({ result: 1 });
  expect(answerIn({ id: 2, error: { code: -1, message: 'no' } }, 2)).toEqual({ error: 'no' });
  expect(answerIn({ id: 3, result: 1 }, 2)).toBeUndefined();
  const content = [
    { type: 'text', text: '{"a":1}' },
    { type: 'text', text: '7 days' },
    { type: 'image', data: 'AAAA' },
  ];
  expect(toolResultOf({ content, isError: true })).toEqual({
    isError: true,
    parts: [
      { value: { a: 1 } },
      { text: '7 days' },
      { value: { type: 'image', data: '4 characters of base64' } },
    ],
  });
  expect(toolResultOf({ content: [], structuredContent: { n: 1 } }).parts).toEqual([{ value: { n: 1 } }]);
  expect(mcpCurl("http://x/mcp?a='", 'shout', { text: 'a' }, true)).toContain(
    '"Authorization: Bearer $AGENT_KEY"',
  );
});
