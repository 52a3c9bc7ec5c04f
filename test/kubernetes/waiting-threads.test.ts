import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { V1Pod } from '@kubernetes/client-node';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { seenKinds } from '../../lib/compute/kubernetes/kinds.ts';
import { logOf } from '../support/programs/agents.ts';
import { expectApi, patch, type ShownDeployment } from '../support/programs/program.ts';
import { until } from '../support/until.ts';
import { servingSet, setOf } from './points.ts';
import { type RunningListener, World } from './world.ts';

// Pods have addresses and no network: what a listener asks of them comes to a server of this test, with the
// address of the pod in the path.

let world: World;
let listener: RunningListener;
let agents: Server;
/** What the servers of this image have and answer; `hides`: credentials are asked for; `hangs`: nothing comes. */
const images: Record<string, { node: string; threads: number; does?: 'hides' | 'hangs' }> = {
  'example.test/agent:1': { node: 'approve', threads: 2 },
  'example.test/agent:2': { node: 'confirm', threads: 1 },
};
const asked: string[] = [];

/** The image of the pod with this address. */
async function imageAt(address: string): Promise<string> {
  const pods: V1Pod[] = await world.objectsOf(undefined, seenKinds);
  const pod = pods.find(({ status }) => status?.podIP === address);
  return pod?.spec?.containers[0]?.image ?? 'nothing';
}

async function answerOf(path: string, text: string): Promise<[status: number, answer: unknown] | undefined> {
  const [, address = '', rest = ''] = /^\/([^/:]+):8000(\/.*)$/.exec(path) ?? [];
  const image = await imageAt(address);
  const { node, threads, does } = images[image] ?? { node: '', threads: 0 };
  asked.push(`${image} ${rest}`);
  if (does === 'hangs') return undefined;
  if (does === 'hides') return [401, {}];
  if (rest === '/threads/search') {
    const isWaiting = text.includes('"interrupted"');
    const all = Array.from({ length: isWaiting ? threads : 0 }, (_, n) => ({
      thread_id: `t${n}`,
      metadata: { graph_id: 'agent' },
    }));
    return [200, all];
  }
  if (rest.startsWith('/threads/')) return [200, { next: [node], tasks: [] }];
  return [200, { nodes: [{ id: '__start__' }, { id: node }] }];
}

beforeAll(async () => {
  world = await World.open();
  agents = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      void answerOf(request.url ?? '', Buffer.concat(chunks).toString()).then((answer) => {
        if (answer === undefined) return;
        response.writeHead(answer[0]).end(JSON.stringify(answer[1]));
      });
    });
  }).listen(0, '127.0.0.1');
  await once(agents, 'listening');
  const { port } = agents.address() as AddressInfo;
  const program = join(world.cluster.folder, 'listener.mjs');
  const own = pathToFileURL(join(import.meta.dirname, '../../bin/listener.ts')).href;
  await writeFile(
    program,
    `const { fetch } = globalThis;
globalThis.fetch = (address, options) => {
  const { host, port, pathname, search } = new URL(String(address));
  return fetch(port === '8000' ? \`http://127.0.0.1:${port}/\${host}\${pathname}\${search}\` : address, options);
};
await import(${JSON.stringify(own)});
`,
  );
  listener = world.listenWith(program, world.cluster.kubeconfig);
});

afterAll(async () => {
  await listener.stop();
  agents.closeAllConnections();
  agents.close();
  await world.close();
});

const rule = (made: ShownDeployment, on_release: object) =>
  patch(world.program, made.id, { source_config: { on_release } });

async function create(): Promise<ShownDeployment> {
  const body = {
    name: 'waiting',
    source_config: { listener_id: world.listenerId, runtime: 'licensed' },
    source_revision_config: { image_uri: 'example.test/agent:1' },
  };
  const made = await expectApi<ShownDeployment>(world.program, 'POST', '/v2/deployments', body, 201);
  return world.deployed(made);
}

it('a release asks the pods of both sets, refuses or warns, and is refused nothing by a pod that hangs', async () => {
  const made = await create();
  // Nothing is replaced by the first.
  expect(asked).toEqual([]);
  const serving = await servingSet(world, made.id);
  await rule(made, { waiting: 'refuse' });
  const refused = await world.ended(await world.change(made.id, 'example.test/agent:2'));
  expect(refused).toMatchObject({
    status: 'DEPLOY_FAILED',
    status_message: expect.stringMatching(
      /^2 threads wait at `approve`, which this revision has not\. Nothing was moved/,
    ),
  });
  expect(await servingSet(world, made.id)).toBe(serving);
  const isTakenBack = async () => (await world.pods(made.id)).every((pod) => setOf(pod) === serving);
  await until(isTakenBack, { what: 'what was brought up to be removed' });
  expect(
    asked.filter((line) => line.includes('/graph')).every((line) => line.startsWith('example.test/agent:2')),
  ).toBe(true);
  expect(asked.some((line) => line.startsWith('example.test/agent:1 /threads/search'))).toBe(true);

  await rule(made, {});
  const lost = '2 threads wait at `approve`, which this revision has not.';
  const changed = await world.change(made.id, 'example.test/agent:2');
  expect(await world.ended(changed)).toMatchObject({ status: 'DEPLOYED', status_message: lost });
  const log = await logOf(world.program, await world.deployed(changed), 'deploy');
  expect(log.map(({ message }) => message)).toContain(lost);

  // A rollback is a release, too.
  images['example.test/agent:2'] = { node: 'confirm', threads: 1, does: 'hides' };
  await rule(made, { waiting: 'refuse' });
  expect(await world.ended(await world.redeploy(made.id, made.latest_revision_id))).toMatchObject({
    status: 'DEPLOY_FAILED',
    status_message: expect.stringMatching(/not known: the agent asks for credentials of its own/),
  });
  images['example.test/agent:2'] = { node: 'confirm', threads: 1, does: 'hangs' };
  await rule(made, {});
  const back = await world.redeploy(made.id, made.latest_revision_id);
  const shown = await world.ended(back);
  expect(shown).toMatchObject({ status: 'DEPLOYED', status_message: null });
  const said = (await logOf(world.program, await world.deployed(back), 'deploy')).map(
    ({ message }) => message,
  );
  expect(said.join('\n')).toMatch(/is not known: the agent server gave no answer in time/);
});
