import { describe, expect, it, vi } from 'vitest';
import { type AskServer, checkRelease, type ServerAnswer } from '../../../lib/compute/release-check.ts';

type Thread = { id: string; status: string; graphId?: string; state: object };
const neverAborted = new AbortController().signal;
const plain = (next: string[]) => ({ next, tasks: next.map((name) => ({ name, state: null })) });

/** A server with these threads; `asked`: what it was asked. */
function serverWith(threads: Thread[], over: (path: string) => ServerAnswer | undefined = () => undefined) {
  const asked: string[] = [];
  const ask: AskServer = async (method, path, body) => {
    asked.push(`${method} ${path}`);
    const instead = over(path);
    if (instead !== undefined) return instead;
    if (path === '/threads/search') {
      const { status, limit, offset } = body as { status: string; limit: number; offset: number };
      const found = threads.filter((thread) => thread.status === status).slice(offset, offset + limit);
      return {
        status: 200,
        body: found.map(({ id, graphId = 'agent' }) => ({ thread_id: id, metadata: { graph_id: graphId } })),
      };
    }
    const thread = threads.find(({ id }) => path.startsWith(`/threads/${id}/state`));
    return thread === undefined ? { status: 404, body: {} } : { status: 200, body: thread.state };
  };
  return { ask, asked };
}

const drawing =
  (nodes: string[]): AskServer =>
  async () => ({
    status: 200,
    body: { nodes: nodes.map((id) => ({ id })), edges: [] },
  });

const waiting = (id: string, next: string[]): Thread => ({ id, status: 'interrupted', state: plain(next) });

describe('a look before a switch', () => {
  it('asks nothing but for threads where none wait', async () => {
    const serving = serverWith([{ id: 'a', status: 'idle', state: plain([]) }]);
    const next = serverWith([]);
    expect(await checkRelease({ serving: serving.ask, next: next.ask }, neverAborted)).toEqual({
      kind: 'nothing',
    });
    expect(serving.asked).toHaveLength(2);
    expect(next.asked).toEqual([]);
  });

  it('counts threads on all pages, waiting and busy ones, at the nodes of all their tasks', async () => {
    const threads = [
      ...Array.from({ length: 250 }, (_, index) => waiting(`w${index}`, ['approve'])),
      { ...waiting('b', ['send', 'approve']), status: 'busy' },
    ];
    const finding = await checkRelease(
      { serving: serverWith(threads).ask, next: drawing(['send']) },
      neverAborted,
    );
    expect(finding).toEqual({
      kind: 'lost',
      lost: [
        { graphId: 'agent', state: 'interrupted', node: 'approve', count: 250 },
        { graphId: 'agent', state: 'busy', node: 'approve', count: 1 },
      ],
    });
  });

  it('follows a thread into a graph inside its node', async () => {
    const state = { next: ['team'], tasks: [{ name: 'team', state: plain(['review']) }] };
    const serving = serverWith([{ id: 'a', status: 'interrupted', state }]).ask;
    expect(await checkRelease({ serving, next: drawing(['team:review']) }, neverAborted)).toEqual({
      kind: 'nothing',
    });
    expect(await checkRelease({ serving, next: drawing(['team:check']) }, neverAborted)).toMatchObject({
      lost: [{ node: 'team:review' }],
    });
  });

  it('asks an older server again that does not know a word, and for a graph without what is inside', async () => {
    let first = true;
    const serving = serverWith([waiting('a', ['approve'])], (path) => {
      if (path !== '/threads/search' || !first) return undefined;
      first = false;
      return { status: 422, body: {} };
    });
    const next: AskServer = async (_, path) =>
      path.endsWith('xray=true')
        ? { status: 500, body: undefined }
        : { status: 200, body: { nodes: [{ id: 'approve' }] } };
    expect(await checkRelease({ serving: serving.ask, next }, neverAborted)).toEqual({ kind: 'nothing' });
  });

  it.each<[string, Parameters<typeof checkRelease>[0], RegExp]>([
    [
      'hides its threads',
      { serving: async () => ({ status: 401, body: {} }), next: drawing([]) },
      /credentials of its own/,
    ],
    [
      'shows none of them',
      { serving: serverWith([]).ask, next: drawing([]), hasOwnAuth: true },
      /shows none here/,
    ],
    [
      'is no agent server',
      { serving: async () => ({ status: 200, body: '<html>' }), next: drawing([]) },
      /no list of threads/,
    ],
    ['is down', { serving: undefined, next: drawing([]) }, /cannot be asked/],
    [
      'does not answer',
      {
        serving: async () => {
          throw new TypeError('fetch failed');
        },
        next: drawing([]),
      },
      /gave no answer/,
    ],
    [
      'shows some of them',
      { serving: serverWith([waiting('a', ['b'])]).ask, next: drawing(['b']), hasOwnAuth: true },
      /own auth decides which threads are shown, and shows 1 here/,
    ],
    [
      'has more than are looked at',
      {
        serving: serverWith(Array.from({ length: 10_101 }, (_, index) => waiting(`w${index}`, ['a']))).ask,
        next: drawing(['a']),
      },
      /more than 10000 threads/,
    ],
    [
      'has a thread of no graph',
      {
        serving: async (_, path) => ({
          status: 200,
          body: path === '/threads/search' ? [{ thread_id: 'a', metadata: {} }] : {},
        }),
        next: drawing([]),
      },
      /does not say which graph/,
    ],
    [
      'cannot ask the new one',
      { serving: serverWith([waiting('a', ['b'])]).ask, next: undefined },
      /new version cannot be asked/,
    ],
    [
      'hears nothing of its nodes',
      {
        serving: serverWith([waiting('a', ['b'])]).ask,
        next: async () => ({ status: 500, body: undefined }),
      },
      /does not show the nodes/,
    ],
  ])('says what is not known of one that %s', async (_, servers, why) => {
    const finding = await checkRelease(servers, neverAborted);
    expect(finding).toEqual({ kind: 'unknown', why: expect.stringMatching(why) });
  });

  it('ends in its time, and with whoever asks', async () => {
    const hanging: AskServer = (_, __, ___, signal) =>
      new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason));
      });
    const slow = await checkRelease({ serving: hanging, next: hanging }, neverAborted, {
      withinMilliseconds: 1,
    });
    expect(slow).toMatchObject({ kind: 'unknown', why: expect.stringMatching(/took longer/) });
    const abort = new AbortController();
    const left = checkRelease({ serving: hanging, next: hanging }, abort.signal);
    abort.abort(new Error('interrupted'));
    await expect(left).rejects.toThrow('interrupted');
  });

  it('names what it has found when its time ends, or a state cannot be read', async () => {
    const threads = Array.from({ length: 150 }, (_, index) => waiting(`w${index}`, ['approve']));
    const whole = serverWith(threads, (path) =>
      path.startsWith('/threads/w7/') ? { status: 200, body: undefined } : undefined,
    ).ask;
    expect(await checkRelease({ serving: whole, next: drawing([]) }, neverAborted)).toEqual({
      kind: 'lost',
      lost: [{ graphId: 'agent', state: 'interrupted', node: 'approve', count: 149 }],
      unknown: expect.stringMatching(/too long/),
    });
    // The second page never comes.
    const { ask } = serverWith(threads);
    const serving: AskServer = (method, path, body, signal) =>
      body !== undefined && 'offset' in body && body.offset === 100
        ? new Promise((_, reject) => {
            signal.addEventListener('abort', () => reject(signal.reason));
          })
        : ask(method, path, body, signal);
    const servers = { serving, next: drawing([]) };
    expect(await checkRelease(servers, neverAborted, { answerMilliseconds: 50 })).toEqual({
      kind: 'lost',
      lost: [{ graphId: 'agent', state: 'interrupted', node: 'approve', count: 100 }],
      unknown: 'the agent server gave no answer in time',
    });
    expect(await checkRelease(servers, neverAborted, { withinMilliseconds: 500 })).toMatchObject({
      kind: 'lost',
      unknown: expect.stringMatching(/longer than 0\.5 s to ask, and not all of more than 100 threads/),
    });
  });

  it('says how far it is when it takes long, and counts a thread once that moves on meanwhile', async () => {
    const now = vi.spyOn(Date, 'now');
    let clock = 0;
    now.mockImplementation(() => (clock += 2000));
    const lines: string[] = [];
    const threads = Array.from({ length: 450 }, (_, index) => waiting(`w${index}`, ['approve']));
    const { ask } = serverWith(threads);
    const serving: AskServer = async (method, path, body, signal) => {
      const { status } = (body ?? {}) as { status?: string };
      return ask(method, path, status === 'busy' ? { ...body, status: 'interrupted' } : body, signal);
    };
    const finding = await checkRelease({ serving, next: drawing([]) }, neverAborted, {
      say: (line) => void lines.push(line),
    });
    now.mockRestore();
    expect(finding).toMatchObject({ kind: 'lost', lost: [{ count: 450 }] });
    expect(lines[0]).toMatch(/^Asking the version that serves where threads wait: \d+ so far\.$/);
    expect(lines.length).toBeLessThan(10);
  });

  it('passes over threads that are gone meanwhile', async () => {
    const serving = serverWith([waiting('a', ['approve'])], (path) =>
      path.includes('/state') ? { status: 404, body: {} } : undefined,
    );
    expect(await checkRelease({ serving: serving.ask, next: drawing([]) }, neverAborted)).toEqual({
      kind: 'nothing',
    });
  });
});
