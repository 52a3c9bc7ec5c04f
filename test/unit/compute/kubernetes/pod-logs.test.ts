import { setImmediate } from 'node:timers/promises';
import { expect, it, onTestFinished, vi } from 'vitest';
import type { ApiServer } from '../../../../lib/compute/kubernetes/api-server.ts';
import { PodLogs } from '../../../../lib/compute/kubernetes/logs/pod-logs.ts';
import { annotations, labels } from '../../../../lib/compute/kubernetes/render/names.ts';
import { ObjectStore } from '../../../../lib/compute/kubernetes/store.ts';
import { createLog } from '../../../../lib/listener/log.ts';
import type { ShippedLine } from '../../../../lib/listener/waiting-lines.ts';
import { until } from '../../../support/until.ts';
import { plainSpec } from '../../../support/world/deploy-spec.ts';
import { FakePod } from './fake-pod.ts';

const ID = '00000000-0000-4000-8000-000000000001';
const [REVISION, NEXT] = ['00000000-0000-4000-8000-000000000002', '00000000-0000-4000-8000-000000000003'];
const spec = {
  ...plainSpec({
    deployment_id: ID,
    deployment_name: 'app',
    tenant_id: '00000000-0000-4000-8000-000000000004',
    revision_id: REVISION,
    artifact: { kind: 'image', uri: 'registry.example/app@sha256:1' },
  }),
  environment: [{ name: 'TOKEN', value: 'a secret of the spec' }],
};
const own = (component: string) => ({
  [labels.deployment]: ID,
  [labels.set]: 'abc',
  [labels.component]: component,
});

type Shipped = ShippedLine & { revisionId: string };

/** A deployment with one pod, whose output is shipped. */
function aDeployment(given: { since?: string; component?: string; known?: boolean } = {}) {
  vi.spyOn(Math, 'random').mockReturnValue(0);
  const fake = new FakePod(own(given.component ?? 'server'));
  const shipped: Shipped[] = [];
  let version = 1000;
  const metadata = (name: string, more: object = {}) => ({
    ...{ name, namespace: 'agents', resourceVersion: String((version += 1)), labels: own('server') },
    ...more,
  });
  const store = new ObjectStore((id) => logs.look(id));
  const api: Pick<ApiServer, 'read' | 'stream'> = {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- only pods are read
    read: fake.read as ApiServer['read'],
    stream: (_, query, signal) => fake.stream(query, signal),
  };
  const logs: PodLogs = new PodLogs({
    api,
    store,
    shipper: {
      push: (_, revisionId, line) => void shipped.push({ revisionId, ...line }),
      room: async () => undefined,
    },
    since: given.since === undefined ? undefined : new Date(given.since),
    log: createLog('error', () => undefined),
  });
  onTestFinished(() => {
    logs.close();
    vi.restoreAllMocks();
  });
  const revision = (id: string) => {
    const deployment = { kind: 'Deployment', metadata: metadata('app-abc') };
    store.put('Deployment', {
      ...deployment,
      metadata: { ...deployment.metadata, annotations: { [annotations.revision]: id } },
    });
  };
  const secret = () => {
    const data = { v0: Buffer.from('a secret of the set').toString('base64') };
    store.put('Secret', Object.assign({ kind: 'Secret', metadata: metadata('app-abc') }, { data }));
  };
  const watch = () => store.put('Pod', fake.pod);
  const messages = () => shipped.map(({ message }) => message);
  const expectMessages = async (...expected: string[]) => {
    await until(() => shipped.length >= expected.length, { what: () => messages().join() });
    expect(messages()).toEqual(expected);
  };
  revision(REVISION);
  secret();
  watch();
  if (given.known !== false) logs.know(spec);
  return { fake, logs, store, shipped, revision, watch, messages, expectMessages };
}

const at = (second: number, fraction = '0') =>
  `2026-11-21T10:00:${String(second).padStart(2, '0')}.${fraction.padEnd(9, '0')}Z`;

it('ships lines with their times, levels and revision', async () => {
  const { fake, shipped, expectMessages, revision } = aDeployment();
  fake.write(`${at(1, '5')} hello`, `${at(1, '500001')} \u001b[31mERROR\u001b[0m: it broke`, `${at(2)} `);
  await expectMessages('hello', 'ERROR: it broke', '');
  expect(shipped[0]).toEqual({
    ...{ revisionId: REVISION, timestamp: Date.parse('2026-11-21T10:00:01.500Z') },
    ...{ level: 'INFO', message: 'hello' },
  });
  expect(shipped[1]?.level).toBe('ERROR');
  expect(shipped[1]?.timestamp).toBeCloseTo(Date.parse('2026-11-21T10:00:01.500Z') + 0.001, 3);

  revision(NEXT ?? '');
  fake.write(`${at(3)} of the same set`);
  await expectMessages('hello', 'ERROR: it broke', '', 'of the same set');
  expect(shipped.at(-1)?.revisionId).toBe(NEXT);
});

it('ships each state of a line that is written over and over', async () => {
  const { fake, shipped, expectMessages } = aDeployment();
  fake.write(`${at(1)} 10%\r50%\r100%`, `${at(2)} done`);
  await expectMessages('10%', '50%', '100%', 'done');
  const times = shipped.map(({ timestamp }) => timestamp);
  expect([...new Set(times)].sort((one, other) => one - other)).toEqual(times);
});

it('leaves no beginning of a secret where a line is cut', async () => {
  const { fake, shipped } = aDeployment();
  fake.write(`${at(1)} 1%\r${'a secret of the set'.repeat(6000)}`);
  await until(() => shipped.length === 2, { what: 'both states of the line' });
  expect(shipped[1]?.message).toMatch(/^(?:\*\*\*)+$/);
});

it('ships what a failed revision has written, and nothing later, for that would hide the reason', async () => {
  const { fake, logs, watch, expectMessages } = aDeployment();
  fake.write(`${at(1)} it begins`);
  await expectMessages('it begins');
  // It ends, and whoever reads it would wait before the next look.
  fake.drop();
  await setImmediate();
  fake.write(`${at(2)} it breaks`);
  fake.end(at(2));
  await logs.failed(spec);
  await expectMessages('it begins', 'it breaks');
  // What ran before is kept running instead.
  logs.know({ ...spec, revision_id: NEXT ?? '' });
  fake.start();
  fake.write(`${at(4)} it begins`);
  fake.end(at(5));
  const { reads } = fake;
  watch();
  await until(() => fake.reads > reads, { what: 'the next run to be looked at' });
  await until(() => fake.requests.length > 2, { what: 'the next run to be read' });
  await expectMessages('it begins', 'it breaks');
});

it('ships what a revision writes that is tried once more', async () => {
  const { fake, logs, expectMessages } = aDeployment();
  await logs.failed(spec);
  logs.know(spec);
  fake.write(`${at(2)} again`);
  await expectMessages('again');
});

it('ships queue workers, and nothing of stores', async () => {
  const queue = aDeployment({ component: 'queue' });
  queue.fake.write(`${at(1)} a job`);
  await queue.expectMessages('a job');
  const redis = aDeployment({ component: 'redis' });
  redis.watch();
  expect(redis.fake.requests).toEqual([]);
});

it('waits until it knows what to mask, then masks the values of spec and set, and cuts', async () => {
  const { fake, logs, watch, shipped, expectMessages } = aDeployment({ known: false });
  fake.write(`${at(1)} 1 a secret of the spec`, `${at(1, '1')} 2 a secret of the set`);
  fake.write(`${at(2)} ${'x'.repeat(16 * 1024 - 10)}a secret of the spec`);
  watch();
  expect(fake.requests).toEqual([]);
  logs.know(spec);
  await expectMessages('1 ***', '2 ***', `${'x'.repeat(16 * 1024 - 10)}***`);
  fake.write(`${at(3)} ${'y'.repeat(200_000)}`);
  await until(() => shipped.length === 4, { what: 'the long line' });
  expect(shipped[3]?.message).toBe('y'.repeat(16 * 1024));
});

it('is one open stream while a container runs', async () => {
  const { fake, watch, expectMessages } = aDeployment();
  fake.write(`${at(1)} one`);
  await expectMessages('one');
  for (let n = 0; n < 5; n += 1) watch();
  fake.write(`${at(2)} two`);
  await expectMessages('one', 'two');
  expect(fake.requests).toHaveLength(1);
});

it('goes on after dropped connections, with no line missing or twice', async () => {
  const { fake, expectMessages } = aDeployment();
  // Two lines of one time, and one of standard error that is late.
  fake.write(`${at(1)} a`, `${at(5, '7')} b`, `${at(5, '7')} c`, `${at(5, '6')} d`);
  await expectMessages('a', 'b', 'c', 'd');
  fake.writePart(`${at(5, '8')} half a `);
  fake.drop();
  fake.writePart('line\n');
  fake.write(`${at(5, '7')} late`, `${at(6)} e`);
  await expectMessages('a', 'b', 'c', 'd', 'half a line', 'late', 'e');
  fake.drop();
  fake.isDown = true;
  fake.write(`${at(7)} f`);
  fake.drop();
  fake.isDown = false;
  await expectMessages('a', 'b', 'c', 'd', 'half a line', 'late', 'e', 'f');
});

it('reads the end of a container that died, once, and the next run', async () => {
  const { fake, watch, expectMessages } = aDeployment();
  fake.write(`${at(1)} a`);
  await expectMessages('a');
  fake.drop();
  fake.write(`${at(2)} last words`);
  fake.end(at(2));
  fake.start();
  fake.write(`${at(4)} again`);
  watch();
  await expectMessages('a', 'last words', 'again');
  fake.drop();
  fake.write(`${at(5)} b`);
  watch();
  await expectMessages('a', 'last words', 'again', 'b');
  expect(fake.requests.filter(({ previous }) => previous === 'true')).toHaveLength(1);
});

it('asks nothing while a container is over, and reads its end without a line break', async () => {
  const { fake, watch, expectMessages } = aDeployment();
  fake.writePart(`${at(1)} no line break`);
  fake.end(at(1));
  watch();
  await expectMessages('no line break');
  const before = fake.requests.length;
  watch();
  fake.start();
  fake.write(`${at(9)} again`);
  watch();
  await expectMessages('no line break', 'again');
  expect(fake.requests.slice(before).map(({ previous }) => previous)).toEqual([undefined]);
});

it('begins after a restart where the listener before it has shipped to, with runs that ended since', async () => {
  const { fake, logs, watch, expectMessages } = aDeployment({ since: at(5), known: false });
  fake.write(`${at(3)} shipped`, `${at(6)} not shipped`);
  fake.end(at(6));
  fake.start();
  fake.write(`${at(8)} again`);
  watch();
  logs.know(spec);
  await expectMessages('not shipped', 'again');
});

it('asks nothing of runs that ended before', async () => {
  const { fake, logs, watch, expectMessages } = aDeployment({ since: at(50), known: false });
  fake.end(at(6));
  fake.start();
  fake.write(`${at(48)} shipped`, `${at(51)} new`);
  watch();
  logs.know(spec);
  await expectMessages('new');
  expect(fake.requests.map(({ follow }) => follow)).toEqual(['true']);
});

it('reads a pod that is deleted to its end, also when nothing shall run any more', async () => {
  const { fake, logs, store, watch, expectMessages } = aDeployment();
  fake.write(`${at(1)} a`);
  await expectMessages('a');
  logs.forget(ID);
  for (const object of store.everything(ID))
    if (object.kind !== 'Pod') store.remove(object.kind ?? '', object);
  fake.write(`${at(2)} goodbye`);
  fake.end(at(2));
  watch();
  await expectMessages('a', 'goodbye');
  fake.isThere = false;
  const { reads, requests } = fake;
  const asked = requests.length;
  store.remove('Pod', fake.pod);
  await until(() => fake.reads > reads, { what: 'a last look' });
  logs.look(ID);
  expect([fake.reads, requests.length]).toEqual([reads + 1, asked]);
});
