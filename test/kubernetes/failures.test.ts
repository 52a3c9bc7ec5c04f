import type { KubernetesObject } from '@kubernetes/client-node';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { labels } from '../../lib/compute/kubernetes/render/names.ts';
import { reasonOf } from '../../lib/listener/driver.ts';
import { expectApi, type ShownDeployment } from '../support/programs/program.ts';
import { until } from '../support/until.ts';
import { type RunningListener, World } from './world.ts';

type LogPage = { logs: { message: string }[] };

/** What is not found out within it passes for late; nothing here has to wait for it. */
const PATIENT_SECONDS = 200;
/** What may pass is waited for so long: longer than it takes to find out why. */
const IMPATIENT_SECONDS = 60;

let world: World;
/** Where it is waited only so long. */
let impatient: World;
const listeners: RunningListener[] = [];

beforeAll(async () => {
  world = await World.open();
  impatient = await world.beside(['impatient']);
  listeners.push(
    world.listen(undefined, '--start-timeout-seconds', `${PATIENT_SECONDS}`),
    impatient.listen(undefined, '--start-timeout-seconds', `${IMPATIENT_SECONDS}`),
  );
});

afterAll(async () => {
  for (const listener of listeners) await listener.stop();
  await world.close();
});

/** What was said last in the deploy log: clients show that line alone. */
async function lastLine({ id, latest_revision_id: revision }: ShownDeployment): Promise<string | undefined> {
  const path = `/v1/projects/${id}/revisions/${revision}/deploy_logs`;
  const body = { order: 'desc', limit: 1 };
  const { logs } = await expectApi<LogPage>(world.program, 'POST', path, body, 200);
  return logs[0]?.message;
}

const reference = { name: 'TOKEN', secret_name: 'vault', secret_key: 'token' };

const failures: [name: string, image: string, reason: RegExp, more?: object][] = [
  ['missing', 'pull-fail', /The image 'pretend\.test\/pull-fail:1' is not in its registry\. Push it/],
  ['platform', 'pull-other-platform', /The image .* is made for .*, and it would run on/],
  ['registry', 'pull-unauthorized', /does not hand out the image .* Name a pull secret for it/],
  [
    'room',
    'unschedulable',
    /^Not ready after 60 s, with 0 of 1 servers up\. No machine has room .*Insufficient memory/,
  ],
  [
    'memory',
    'oom',
    /needed more than its limit of 512 MB of memory.* Raise memory_limit_mb/,
    { spec: { memory_limit_mb: 512 } },
  ],
  [
    'crash',
    'crash-loop-3/log-lines-2',
    /exits in a loop: \d+ times so far, last with code 3\..*\nline 1\nline 2\n/s,
  ],
  [
    'status',
    'probe-fails-500/log-every-ms-20',
    /^Not ready after 60 s.* GET \/ready answers 500 instead of a status from 200 to 399/,
    { health_check: { path: '/ready' } },
  ],
  ['silence', 'no-listener', /^Not ready after 60 s.* Nothing listens on port 8000/],
  [
    'reference',
    'ok',
    /The variable TOKEN has no value: .* no secret 'vault'/,
    { secret_references: [reference] },
  ],
];

/** Of these, what is wrong may pass: it is the reason once the time is over. */
const late = new Set(['room', 'status', 'silence']);

describe('a deployment that does not come up', () => {
  it.concurrent.each(failures)('says why: %s', async (name, behaviour, reason, more = {}) => {
    const where = late.has(name) ? impatient : world;
    const made = await where.deploy(name, `pretend.test/${behaviour}:1`, more);
    const { status, status_message: message } = await where.ended(made);
    expect([status, message]).toEqual(['DEPLOY_FAILED', expect.stringMatching(reason)]);
    const isGone = async () => (await where.objectsOf(made.id)).length === 0;
    await until(isGone, { what: 'what was brought up to be gone' });
    expect(await lastLine(made)).toBe(reasonOf(message ?? ''));
  });
});

const kindsOf = async ({ id }: ShownDeployment) =>
  (await world.objectsOf(id)).map(({ kind, metadata }) => `${kind} ${metadata?.labels?.[labels.component]}`);

it('a database that a failed revision has made keeps its volume and its password until the deployment goes', async () => {
  const made = await world.deploy('stores', 'pretend.test/pull-fail:1', { spec: { db_storage_gi: 1 } });
  expect(await world.ended(made)).toMatchObject({ status: 'DEPLOY_FAILED' });
  await until(async () => (await kindsOf(made)).length === 1, {
    what: 'all but the password to be gone',
  });
  expect(await kindsOf(made)).toEqual(['Secret postgres']);
  const [password] = await world.objectsOf(made.id);
  await world.deployed(await world.change(made.id, 'example.test/agent:1'));
  expect(await world.objectsOf(made.id)).toContainEqual(password);
  await world.ended(await world.change(made.id, 'pretend.test/pull-fail:1'));
  await world.deleted(made);
  expect(await volumesOf(made)).toEqual([]);
});

it('and goes with a deployment that never came up', async () => {
  const made = await world.deploy('never', 'pretend.test/ready-after-ms-600000:1', {
    spec: { db_storage_gi: 1 },
  });
  // A database that goes before its controller has made the volume has none.
  await until(async () => (await volumesOf(made)).length === 1, { what: 'the volume' });
  await crash(made);
  expect(await world.ended(made)).toMatchObject({ status: 'DEPLOY_FAILED' });
  await until(async () => (await kindsOf(made)).length === 1, {
    what: 'all but the password to be gone',
  });
  expect(await volumesOf(made)).toHaveLength(1);
  await world.deleted(made);
  expect(await volumesOf(made)).toEqual([]);
});

/** From now on the server that is being started ends again and again. */
async function crash({ id }: ShownDeployment): Promise<void> {
  const isServer = ({ metadata }: KubernetesObject) => metadata?.labels?.[labels.component] === 'server';
  const server = async () => (await world.pods(id)).find(isServer);
  const { metadata } = await until(server, { what: 'a server' });
  const { name = '', namespace = '' } = metadata ?? {};
  const annotated = { name, namespace, annotations: { 'pretend/crash-loop': '1' } };
  await world.api.apply<KubernetesObject>({ apiVersion: 'v1', kind: 'Pod', metadata: annotated }, 'somebody');
}

/** What is being deleted has its pods to wait for. */
async function volumesOf({ id }: ShownDeployment): Promise<unknown[]> {
  const path = '/api/v1/namespaces/agents/persistentvolumeclaims';
  const { items } = await world.api.list(path, { labelSelector: `${labels.deployment}=${id}` });
  return items.filter(({ metadata }) => metadata?.deletionTimestamp === undefined);
}
