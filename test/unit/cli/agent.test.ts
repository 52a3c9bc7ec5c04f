import { describe, expect, it } from 'vitest';
import { slipway } from '../../support/programs/user-cli.ts';

type Asked = { path: string; body: unknown; headers: Headers };

/** An installation with one deployment, and the agent server of it. */
function agentOf(graphs: readonly string[], events: readonly string[] = []) {
  const asked: Asked[] = [];
  const answers: Record<string, (body: unknown) => unknown> = {
    '/v2/deployments': () => ({
      resources: [{ id: 'd', name: 'agent', url: 'http://agent.example/d/agent/' }],
      offset: 1,
    }),
    '/d/agent/assistants/search': () => graphs.map((graph_id) => ({ graph_id })),
    '/d/agent/runs/wait': () => ({
      messages: [
        { type: 'human', content: 'Hi' },
        { type: 'ai', content: 'Hello\u001b[2J' },
      ],
    }),
    '/d/agent/threads': () => ({ thread_id: 't1' }),
  };
  const fetchTwin: typeof fetch = async (input, init) => {
    const { pathname } = new URL(String(input));
    const body: unknown = typeof init?.body === 'string' ? JSON.parse(init.body) : undefined;
    asked.push({ path: pathname, body, headers: new Headers(init?.headers) });
    if (pathname.endsWith('/runs/stream')) return new Response(events.join(''));
    const answer = answers[pathname];
    return answer === undefined ? new Response('nothing here', { status: 404 }) : Response.json(answer(body));
  };
  const at = {
    fetch: fetchTwin,
    environment: { SLIPWAY_URL: 'http://api.example', SLIPWAY_API_KEY: 'our-key' },
  };
  return { at, asked };
}

const event = (kind: string, data: unknown) => `event: ${kind}\ndata: ${JSON.stringify(data)}\n\n`;
const hello = JSON.stringify({ messages: [{ role: 'user', content: 'Hi' }] });

describe('run', () => {
  it('runs the only graph with the input, and prints its last reply, or all as JSON', async () => {
    const { at, asked } = agentOf(['greeter']);
    expect(await slipway(at, ['run', 'agent', '-i', hello])).toEqual({
      exit: 0,
      stdout: 'Hello\n',
      stderr: '',
    });
    expect(asked.at(-1)).toMatchObject({
      path: '/d/agent/runs/wait',
      body: { assistant_id: 'greeter', input: JSON.parse(hello) },
    });
    const { stdout } = await slipway({ ...at, input: hello }, ['run', 'agent', '-i', '-', '--json']);
    expect(JSON.parse(stdout)).toMatchObject({ messages: [{ type: 'human' }, { type: 'ai' }] });
  });

  it('never shows the agent our key, only what is meant for it', async () => {
    const { at, asked } = agentOf(['greeter']);
    await slipway(at, ['run', 'agent', '--header', 'Authorization: Bearer theirs']);
    const toAgent = asked.filter(({ path }) => path.startsWith('/d/'));
    expect(toAgent.map(({ headers }) => headers.get('authorization'))).toEqual([
      'Bearer theirs',
      'Bearer theirs',
    ]);
    expect(JSON.stringify(toAgent.map(({ headers }) => [...headers]))).not.toContain('our-key');
  });

  it('asks which graph where there are several, and refuses what is no JSON', async () => {
    const { at } = agentOf(['one', 'two']);
    expect(await slipway(at, ['run', 'agent'])).toMatchObject({
      exit: 2,
      stderr: 'Which graph? --graph one, --graph two\n',
    });
    expect(await slipway(at, ['run', 'agent', '-i', 'Hi'])).toMatchObject({
      exit: 2,
      stderr: '--input is no JSON: Hi\n',
    });
  });
});

describe('chat', () => {
  const said = [
    event('metadata', { run_id: 'r' }),
    event('messages', [{ type: 'human', content: 'Hi' }, {}]),
    event('messages', [{ type: 'AIMessageChunk', content: 'Hel' }, {}]),
    event('messages', [{ type: 'AIMessageChunk', content: [{ type: 'text', text: 'lo' }] }, {}]),
  ];

  it('sends what is typed to one thread, and prints the reply as it comes', async () => {
    const { at, asked } = agentOf(['greeter'], said);
    const ran = await slipway({ ...at, terminal: true, answers: ['Hi', 'and you?'] }, ['chat', 'agent']);
    expect([ran.exit, ran.stdout]).toEqual([0, 'Hello\nHello\n']);
    const runs = asked.filter(({ path }) => path.endsWith('/runs/stream'));
    expect(runs.map(({ path }) => path)).toEqual([
      '/d/agent/threads/t1/runs/stream',
      '/d/agent/threads/t1/runs/stream',
    ]);
    expect(runs[1]?.body).toMatchObject({ input: { messages: [{ role: 'user', content: 'and you?' }] } });
  });

  it('without a terminal takes stdin for one message, and goes on with a thread', async () => {
    const { at, asked } = agentOf(['greeter'], said);
    const { stdout } = await slipway({ ...at, input: 'Hi\n' }, [
      'chat',
      'agent',
      '--thread',
      'mine',
      '--json',
    ]);
    expect(JSON.parse(stdout)).toEqual({ thread_id: 'mine', reply: 'Hello' });
    expect(asked.at(-1)?.path).toBe('/d/agent/threads/mine/runs/stream');
  });

  it('prints the last reply of a graph that streams none, and says what the agent says against it', async () => {
    const silent = agentOf(
      ['greeter'],
      [event('values', { messages: [{ type: 'ai', content: 'At once' }] })],
    );
    expect((await slipway({ ...silent.at, input: 'Hi' }, ['chat', 'agent'])).stdout).toBe('At once\n');
    const failing = agentOf(['greeter'], [event('error', { message: 'no model' })]);
    expect(await slipway({ ...failing.at, input: 'Hi' }, ['chat', 'agent'])).toMatchObject({
      exit: 1,
      stderr: 'agent: no model\n',
    });
  });
});
