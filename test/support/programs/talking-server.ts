import type { Files } from '../files/write-files.ts';
import { packageJson } from './hello-server.ts';

/**
 * A server that speaks as LangGraph's does, without a model: what a message holds decides what happens.
 * `refund` looks an order up and asks for leave, `wait` says a word and waits until it is stopped, `fail`
 * fails, and anything else is said again. With the variable AGENT_SECRET it wants that as a bearer token.
 */
const SERVER = String.raw`
const { createServer } = process.getBuiltinModule('node:http');
const { randomUUID } = process.getBuiltinModule('node:crypto');
const threads = new Map();
const runs = new Map();
const graphs = {
  agent: { properties: { messages: { type: 'array' } } },
  adder: { properties: { one: { type: 'number' }, note: { type: 'string' } }, required: ['one'] },
};
const assistants = Object.keys(graphs).map((name) => ({ assistant_id: name + '-1', graph_id: name, name }));
const now = () => new Date().toISOString();

/** Answers come to pages of anybody, as those of langgraph do. */
const CORS = { 'access-control-allow-origin': '*', 'access-control-allow-headers': '*', 'access-control-allow-methods': '*' };

function stored(thread, values, next, interrupts = []) {
  const checkpoint = { checkpoint_id: 'step-' + thread.history.length, thread_id: thread.thread_id, checkpoint_ns: '' };
  const tasks = next.map((name) => ({ name, interrupts }));
  thread.history.unshift({ values, next, tasks, interrupts, checkpoint, metadata: { step: thread.history.length }, created_at: now() });
  Object.assign(thread, { values, updated_at: now(), status: interrupts.length > 0 ? 'interrupted' : 'idle' });
}

const stateOf = (thread) => thread.history[0] ?? { values: {}, next: [], tasks: [] };

/** One run: what it says by and by. */
async function* run(thread, { input, command, checkpoint, assistant_id: assistant }, whenStopped) {
  const from = thread.history.find((each) => each.checkpoint.checkpoint_id === checkpoint?.checkpoint_id);
  const before = (from ?? stateOf(thread)).values;
  thread.graph = assistant.replace('-1', '');
  thread.metadata.graph_id = thread.graph;
  if (thread.graph === 'adder') {
    stored(thread, { ...input, sum: input.one + 1 }, []);
    return yield ['values', thread.values];
  }
  const messages = [...(before.messages ?? []), ...(input?.messages ?? [])];
  const said = input?.messages?.at(-1)?.content ?? messages.findLast(({ type }) => type === 'human')?.content ?? '';
  const id = 'ai-' + randomUUID();
  const piece = (content, more = {}) => [
    'messages',
    [{ type: 'AIMessageChunk', id, content, tool_call_chunks: [], ...more }, { langgraph_node: 'talk', langgraph_step: messages.length }],
  ];
  stored(thread, { messages }, ['talk']);
  yield ['values', { messages }];
  if (command !== undefined) {
    const text = 'Done: ' + JSON.stringify(command.resume);
    yield piece(text);
    stored(thread, { messages: [...messages, { type: 'ai', id, content: text }] }, []);
    return yield ['values', thread.values];
  }
  if (said.includes('fail')) {
    thread.status = 'error';
    return yield ['error', { error: 'ValueError', message: 'no luck' }];
  }
  if (said.includes('wait')) {
    yield piece('One moment');
    await whenStopped;
    return undefined;
  }
  if (said.includes('refund')) {
    yield piece('I look ');
    yield piece('it up.');
    const call = (args, first = {}) => piece('', { tool_call_chunks: [{ index: 0, args, ...first }] });
    yield call('', { id: 'call-1', name: 'lookup_order' });
    yield call('{"order": 20931}');
    const calls = [{ id: 'call-1', name: 'lookup_order', args: { order: 20931 } }];
    const after = [
      ...messages,
      { type: 'ai', id, content: 'I look it up.', tool_calls: calls, usage_metadata: { total_tokens: 312 } },
      { type: 'tool', name: 'lookup_order', tool_call_id: 'call-1', content: '{"item": "Arc floor lamp", "price": 48.2}', status: 'success' },
    ];
    yield ['values', { messages: after }];
    const value = {
      action_requests: [{ name: 'send_refund', args: { amount: 48.2, reason: 'Damaged in transit' }, description: 'Sends the money back to the card.' }],
      review_configs: [{ action_name: 'send_refund', allowed_decisions: ['approve', 'edit', 'reject'] }],
    };
    stored(thread, { messages: after }, ['refund'], [{ id: 'question-1', value }]);
    return yield ['updates', { __interrupt__: [{ id: 'question-1', value }] }];
  }
  for (const word of ['You ', 'said: ', said]) yield piece(word);
  stored(thread, { messages: [...messages, { type: 'ai', id, content: 'You said: ' + said }] }, []);
  return yield ['values', thread.values];
}

async function stream(response, thread, body) {
  const runId = randomUUID();
  let stop;
  const whenStopped = new Promise((resolve) => (stop = resolve));
  runs.set(runId, { stop, ended: whenStopped });
  thread.status = 'busy';
  thread.run = runId;
  response.writeHead(200, { ...CORS, 'content-type': 'text/event-stream' });
  const tell = (event, data) => response.write('event: ' + event + '\r\ndata: ' + JSON.stringify(data) + '\r\n\r\n');
  tell('metadata', { run_id: runId });
  for await (const [event, data] of run(thread, body, whenStopped)) tell(event, data);
  if (thread.status === 'busy') thread.status = 'idle';
  thread.run = undefined;
  response.end();
}

/** A run that goes on is heard to its end. */
async function joined(response, runId) {
  response.writeHead(200, { ...CORS, 'content-type': 'text/event-stream' }).flushHeaders();
  response.write('event: metadata\r\ndata: ' + JSON.stringify({ run_id: runId }) + '\r\n\r\n');
  await runs.get(runId)?.ended;
  response.end();
}

async function answer(request, response, body) {
  const [path] = request.url.split('?');
  const [, kind, id, what, runId, action] = path.split('/');
  const json = (value, status = 200) =>
    response.writeHead(status, { ...CORS, 'content-type': 'application/json' }).end(JSON.stringify(value));
  if (request.method === 'OPTIONS') return response.writeHead(200, CORS).end();
  const secret = process.env.AGENT_SECRET;
  if (path === '/ok' || path === '/') return json({ ok: true });
  if (secret !== undefined && request.headers.authorization !== 'Bearer ' + secret) return json({ detail: 'Who are you?' }, 401);
  if (path === '/seen') return json(request.headers);
  if (path === '/assistants/search') return json(assistants);
  if (kind === 'assistants') return json({ input_schema: { type: 'object', ...graphs[id.replace('-1', '')] } });
  if (path === '/threads/search')
    return json([...threads.values()].toReversed().map(({ history, ...thread }) => thread).slice(body.offset, body.offset + body.limit));
  if (path === '/threads') {
    const thread = { thread_id: randomUUID(), metadata: body.metadata ?? {}, status: 'idle', values: {}, history: [], updated_at: now() };
    threads.set(thread.thread_id, thread);
    return json(thread);
  }
  const thread = threads.get(id);
  if (kind !== 'threads' || thread === undefined) return json({ detail: 'Not Found' }, 404);
  if (what === 'state') return json(stateOf(thread));
  if (what === 'history') return json(thread.history);
  if (what === 'runs' && action === 'cancel') {
    runs.get(runId)?.stop();
    return json({}, 202);
  }
  if (what === 'runs' && runId === 'stream') return stream(response, thread, body);
  if (what === 'runs' && action === 'stream') return joined(response, runId);
  if (what === 'runs') return json(thread.run === undefined ? [] : [{ run_id: thread.run, status: 'running' }]);
  return json(thread);
}

createServer((request, response) => {
  let text = '';
  request.on('data', (chunk) => (text += chunk)).on('end', () => {
    answer(request, response, text === '' ? {} : JSON.parse(text)).catch((error) => response.destroy(error));
  });
}).listen(process.env.PORT);
`;

/**
 * An MCP server by streamable HTTP with a session, whose tools shout and fail. Half of its answers are
 * events. As most of them, it says nothing to pages of other origins.
 */
const TOOLS = String.raw`
const { createServer } = process.getBuiltinModule('node:http');
const tools = [
  {
    name: 'shout',
    description: 'Says a text louder.',
    inputSchema: {
      type: 'object',
      properties: { text: { type: 'string', description: 'What is said' }, times: { type: 'integer', default: 1 } },
      required: ['text'],
    },
  },
  { name: 'drop_all', description: 'Deletes all.', inputSchema: { type: 'object' }, annotations: { destructiveHint: true } },
];
const results = {
  initialize: ({ protocolVersion }) => ({ protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'words' } }),
  'tools/list': ({ cursor }) => (cursor === undefined ? { tools: [tools[0]], nextCursor: 'b' } : { tools: [tools[1]] }),
  'tools/call': ({ name, arguments: given }) =>
    name === 'shout'
      ? { content: [{ type: 'text', text: given.text.toUpperCase().repeat(given.times ?? 1) }, { type: 'text', text: '{"length": 5}' }] }
      : { isError: true, content: [{ type: 'text', text: 'nothing to delete' }] },
};
createServer((request, response) => {
  let text = '';
  request.on('data', (chunk) => (text += chunk)).on('end', () => {
    if (request.url !== '/mcp' || request.method !== 'POST') return response.writeHead(404).end('{}');
    const { id, method, params } = JSON.parse(text);
    if (method !== 'initialize' && request.headers['mcp-session-id'] !== 'session-1') return response.writeHead(400).end();
    if (id === undefined) return response.writeHead(202).end();
    const message = JSON.stringify({ jsonrpc: '2.0', id, result: results[method](params) });
    const asEvents = method === 'tools/call';
    response.writeHead(200, { 'content-type': asEvents ? 'text/event-stream' : 'application/json', 'mcp-session-id': 'session-1' });
    response.end(asEvents ? 'event: message\ndata: ' + message + '\n\n' : message);
  });
}).listen(process.env.PORT);
`;

/** A repository of both: `agent` and `tools` are the folders. */
export const speakingFiles = (): Files => ({
  'agent/package.json': packageJson({}),
  'agent/server.js': SERVER,
  'tools/package.json': packageJson({}),
  'tools/server.js': TOOLS,
});
