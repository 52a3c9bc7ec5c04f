import { afterEach, expect, it, vi } from 'vitest';
import type { Observed, ObservedSet } from '../../../../lib/compute/kubernetes/observed.ts';
import { checkSets } from '../../../../lib/compute/kubernetes/release-check.ts';

afterEach(() => {
  vi.restoreAllMocks();
});

const podAt = (podIP: string, ready = 'True') => ({
  metadata: {},
  status: { podIP, conditions: [{ type: 'Ready', status: ready }] },
});
const setOf = (...pods: ReturnType<typeof podAt>[]): ObservedSet => ({
  deployment: {},
  queue: undefined,
  pods,
  ready: 1,
});
const observed: Observed = {
  service: undefined,
  traffic: 'old',
  sets: new Map([
    ['old', setOf(podAt('10.0.0.1', 'False'), podAt('10.0.0.2'))],
    ['new', setOf(podAt('fd00::3'))],
  ]),
};
const hooks = { signal: new AbortController().signal, say: () => undefined };

/** Answers as these servers do, by address and path. */
function serve(answers: Record<string, unknown>): string[] {
  const asked: string[] = [];
  vi.spyOn(globalThis, 'fetch').mockImplementation(async (address, request) => {
    const at = String(address);
    asked.push(at);
    const isBusy = String(request?.body).includes('"busy"');
    const answer = isBusy ? [] : answers[at];
    if (answer === undefined) throw new TypeError('fetch failed');
    return Response.json(answer);
  });
  return asked;
}

const waiting = {
  'http://10.0.0.2:8000/threads/search': [{ thread_id: 'a', metadata: { graph_id: 'agent' } }],
  'http://10.0.0.2:8000/threads/a/state?subgraphs=true': { next: ['approve'], tasks: [] },
  'http://[fd00::3]:8000/assistants/agent/graph?xray=true': { nodes: [{ id: 'confirm' }] },
};

it('asks a ready pod of each set what waits, and where the new one has nothing for it', async () => {
  serve(waiting);
  expect(await checkSets(() => observed, 'new', { runtime: 'licensed' }, hooks)).toEqual({
    goesOn: true,
    isLost: true,
    message: '1 thread waits at `approve`, which this revision has not.',
  });
  const refusing = { runtime: 'licensed', on_release: { waiting: 'refuse' } } as const;
  expect(await checkSets(() => observed, 'new', refusing, hooks)).toMatchObject({ goesOn: false });
});

it('does not know where it reaches no pod', async () => {
  serve({});
  const check = await checkSets(() => observed, 'new', { runtime: 'licensed' }, hooks);
  expect(check).toMatchObject({
    goesOn: true,
    isLost: false,
    message: expect.stringMatching(/gave no answer/),
  });
  const away = { ...observed, sets: new Map([['new', setOf(podAt('10.0.0.3'))]]) };
  const refusing = { on_release: { waiting: 'refuse' } } as const;
  expect(await checkSets(() => away, 'new', refusing, hooks)).toMatchObject({
    goesOn: false,
    message: expect.stringMatching(/the version that served cannot be asked/),
  });
});

it('asks nothing at a first deploy, at a restart, of other servers, and where threads may move', async () => {
  const asked = serve(waiting);
  const licensed = { runtime: 'licensed' } as const;
  const checks = [
    await checkSets(() => ({ ...observed, traffic: undefined }), 'new', licensed, hooks),
    await checkSets(() => observed, 'old', licensed, hooks),
    await checkSets(() => observed, 'new', { runtime: 'command' }, hooks),
    await checkSets(() => observed, 'new', { ...licensed, on_release: { waiting: 'move' } }, hooks),
  ];
  expect(checks).toEqual([undefined, undefined, undefined, undefined]);
  expect(asked).toEqual([]);
});
