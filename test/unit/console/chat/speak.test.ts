import { execFileSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { codeOf, languages, sealOf } from '../../../../console/logic/chat/code.ts';
import { answerIn, mcpConfig, mcpCurl, toolResultOf, toolsOf } from '../../../../console/logic/chat/mcp.ts';
import { isAmong, isDirect, isWithin, studioAddress } from '../../../../console/logic/chat/reach.ts';
import { codeParts, textParts } from '../../../../console/logic/chat/text-parts.ts';
import { assistantsOf, checkpointsOf, threadsOf } from '../../../../console/logic/chat/threads.ts';
import { seconds, timed, tookSeconds } from '../../../../console/logic/chat/timing.ts';

const KEY = { header: 'X-Api-Key', prefix: '' };
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
  const said = run(codeOf('curl', sent, undefined));
  expect(said).toContain('https://a.example/d/t/agent/threads/T1/runs/stream');
  const body = said.slice(said.lastIndexOf('-d\n') + 3, said.lastIndexOf('{}'));
  expect(JSON.parse(body)).toEqual({ assistant_id: 'agent', ...sent.body, stream_mode: ['messages-tuple'] });
  const there = codeOf('curl', { ...sent, threadId: 'a-1' }, KEY);
  expect(there).toMatch(
    /^curl -sS -N 'https:\/\/a\.example\/d\/t\/agent\/threads\/a-1\/runs\/stream' \\\n {2}-H "X-Api-Key: \$AGENT_KEY"/,
  );
});

it('Python reads what the page would send, with its own words for three values', () => {
  const code = codeOf('Python', { ...sent, threadId: 'a-1' }, KEY);
  const given = /input=(?<value>[\s\S]*),\n {4}stream_mode/.exec(code)?.groups?.value ?? '';
  const said = execFileSync('python3', ['-c', `import json\nprint(json.dumps(${given}))`], {
    encoding: 'utf8',
  });
  expect(JSON.parse(said)).toEqual(sent.body.input);
  expect(code).toContain('api_key=os.environ["AGENT_KEY"]');
  expect(codeOf('Python', sent, undefined)).not.toContain('os');
});

it('no language has a key in it', () => {
  for (const language of languages) expect(codeOf(language, sent, KEY)).toMatch(/AGENT_KEY/);
  expect(codeOf('TypeScript', sent, undefined)).toContain('apiUrl: "https://a.example/d/t/agent",\n});');
});

it('the header that was given for the agent is named, without what is in it', () => {
  const seal = sealOf([
    { name: 'X-Trace', value: '1' },
    { name: 'Authorization', value: 'Bearer canary' },
  ]);
  expect(codeOf('curl', sent, seal)).toContain('-H "Authorization: Bearer $AGENT_KEY"');
  expect(codeOf('Python', sent, seal)).toContain(
    'headers={"Authorization": "Bearer " + os.environ["AGENT_KEY"]},',
  );
  expect(codeOf('TypeScript', sent, seal)).toContain(
    'defaultHeaders: { "Authorization": `Bearer ${process.env.AGENT_KEY}` },',
  );
  for (const language of languages) expect(codeOf(language, sent, seal)).not.toContain('canary');
  expect(codeOf('TypeScript', sent, KEY)).toContain('apiKey: process.env.AGENT_KEY,');
  expect([sealOf([]), sealOf([{ name: 'X-Own', value: 'a b' }])]).toEqual([
    undefined,
    { header: 'X-Own', prefix: '' },
  ]);
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
  const agent = 'http://localhost:4401/d/x';
  expect([isDirect(agent, allowed, 'localhost'), isDirect(agent, allowed, '127.0.0.1')]).toEqual([
    true,
    true,
  ]);
  // There it is another machine.
  expect(isDirect(agent, allowed, 'slipway.example')).toBe(false);
  expect(isDirect('https://a.agents.example/d', allowed, 'slipway.example')).toBe(true);
  expect(isDirect('x', allowed, 'localhost')).toBe(false);
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
});

it('curl calls a tool, after a hello where the server keeps sessions', () => {
  const call = { method: 'tools/call', params: { name: "it's" } };
  const plain = mcpCurl('http://x/mcp', call, {
    seal: sealOf([{ name: 'Authorization', value: 'Bearer abc' }]),
    isStateful: false,
  });
  expect(plain).toContain('"Authorization: Bearer $AGENT_KEY"');
  const script = mcpCurl('http://x/mcp', call, { seal: undefined, isStateful: true });
  const curl = `curl() { case "$*" in *initialize*) printf 'HTTP/1.1 200\\r\\nMCP-Session-Id: s-1\\r\\n\\r\\n' ;; *) printf '%s\\n' "$@" ;; esac; }`;
  const said = execFileSync('sh', ['-c', `${curl}\n${script}`], { encoding: 'utf8' });
  expect(said).toContain('Mcp-Session-Id: s-1\n');
  expect(JSON.parse(said.slice(said.indexOf('-d\n') + 3))).toMatchObject(call);
  expect(JSON.parse(mcpConfig('words', 'http://x/mcp'))).toEqual({
    mcpServers: { words: { type: 'http', url: 'http://x/mcp' } },
  });
});

it('texts of agents open addresses of the web alone, and code has its words and texts in colours', () => {
  expect(textParts('See https://a.example/x?y=1. javascript:alert(1) (http://b.example)')).toEqual([
    { text: 'See ', isAddress: false },
    { text: 'https://a.example/x?y=1', isAddress: true },
    { text: '. javascript:alert(1) (', isAddress: false },
    { text: 'http://b.example', isAddress: true },
    { text: ')', isAddress: false },
  ]);
  expect(textParts('')).toEqual([]);
  const parts = codeParts('for x in f("for 1", 2)');
  expect(parts.filter(({ kind }) => kind !== 'plain').map(({ text }) => text)).toEqual([
    'for',
    'in',
    '"for 1"',
    '2',
  ]);
  expect(parts.map(({ text }) => text).join('')).toBe('for x in f("for 1", 2)');
});

it('a tool takes as long as the page has waited for it', () => {
  const call = (result?: { value: unknown; isError: boolean }) => ({ id: 'c', name: 'n', args: {}, result });
  const message = (calls: ReturnType<typeof call>[]) => [
    { id: 'm', from: 'agent' as const, text: '', thoughts: '', calls, tokens: undefined },
  ];
  const begun = timed(new Map(), message([call()]), 1_000);
  expect(tookSeconds(begun, 'c')).toBeUndefined();
  const done = timed(begun, message([call({ value: 1, isError: false })]), 3_100);
  expect(tookSeconds(timed(done, message([call({ value: 1, isError: false })]), 9_000), 'c')).toBe('2.1 s');
  // Seen for the first time with its answer.
  const late = timed(new Map(), message([call({ value: 1, isError: false })]), 1_000);
  expect(tookSeconds(timed(late, message([call({ value: 1, isError: false })]), 9_000), 'c')).toBeUndefined();
  expect(seconds(150_000)).toBe('3 min');
});

it('a path stays with its agent', () => {
  const url = 'http://localhost:4401/d/it';
  expect([isWithin(url, '/ok?a=/../b'), isWithin(url, '/a/../b')]).toEqual([true, true]);
  for (const path of ['/../other/ok', '/%2e%2e/other', '/..\\other'])
    expect([path, isWithin(url, path)]).toEqual([path, false]);
});
