import { describe, expect, it } from 'vitest';
import { claimTasks } from '../../../lib/features/listener-protocol/claim.ts';
import { completeTask } from '../../../lib/features/listener-protocol/complete.ts';
import { getDesired } from '../../../lib/features/listener-protocol/desired.ts';
import { heartbeatTask } from '../../../lib/features/listener-protocol/heartbeat.ts';
import { shipLogs } from '../../../lib/features/listener-protocol/logs.ts';
import { getSpec } from '../../../lib/features/listener-protocol/spec.ts';
import { reportStatus } from '../../../lib/features/listener-protocol/status.ts';
import { shipTaskLogs } from '../../../lib/features/listener-protocol/task-logs.ts';
import { getListener } from '../../../lib/features/listeners/get.ts';
import { queryRevisionLogs } from '../../../lib/features/logs/follow.ts';
import { queryDeploymentLogs } from '../../../lib/features/logs/follow-deployment.ts';
import { queryBuildLogs, queryDeployLogs, queryProjectDeployLogs } from '../../../lib/features/logs/query.ts';
import { ended } from '../../support/world/processed.ts';
import * as requests from '../../support/world/requests.ts';
import { allItems, aWorld, type World } from '../../support/world/world.ts';

type Ids = { deployment: string; revision: string; listener: string };
type Ask = (world: World, ids: Ids) => Promise<unknown>;

const page = { order: 'asc', limit: 10 } as const;
const lease_id = '0190a000-0000-4000-8000-0000000000f2';
const task_id = '0190a000-0000-7000-8000-0000000000f1';
const deployment = ({ deployment: deployment_id }: Ids) => ({ deployment_id });
const revision = (ids: Ids) => ({ deployment_id: ids.deployment, revision_id: ids.revision });
const listener = ({ listener: listener_id }: Ids) => ({ listener_id });
const task = (ids: Ids) => ({ ...listener(ids), task_id });

/** Every use case that takes an id, and the kind of thing that it says is not there. */
const asks: [operation: string, kind: 'Deployment' | 'Listener' | 'Task', ask: Ask][] = [
  ['getDeployment', 'Deployment', (world, ids) => requests.show(world, ids.deployment)],
  ['patchDeployment', 'Deployment', (world, ids) => requests.change(world, ids.deployment, { secrets: [] })],
  ['listRevisions', 'Deployment', (world, ids) => requests.revisions(world, ids.deployment)],
  ['createRevision', 'Deployment', (world, ids) => requests.postRevision(world, ids.deployment)],
  ['getRevision', 'Deployment', (world, ids) => requests.showRevision(world, ids.deployment, ids.revision)],
  ['redeployRevision', 'Deployment', (world, ids) => requests.redeploy(world, ids.deployment, ids.revision)],
  [
    'interruptRevision',
    'Deployment',
    (world, ids) => requests.interrupt(world, ids.deployment, ids.revision),
  ],
  [
    'queryBuildLogs',
    'Deployment',
    ({ deps, caller }, ids) => queryBuildLogs(deps, { params: revision(ids), body: page }, caller),
  ],
  [
    'queryDeployLogs',
    'Deployment',
    ({ deps, caller }, ids) => queryDeployLogs(deps, { params: revision(ids), body: page }, caller),
  ],
  [
    'queryRevisionLogs',
    'Deployment',
    ({ deps, caller }, ids) =>
      queryRevisionLogs(
        deps,
        { params: revision(ids), query: { ...page, type: 'build' }, headers: {} },
        caller,
      ),
  ],
  [
    'queryDeploymentLogs',
    'Deployment',
    ({ deps, caller }, ids) =>
      queryDeploymentLogs(
        deps,
        { params: deployment(ids), query: { ...page, type: 'deploy' }, headers: {} },
        caller,
      ),
  ],
  [
    'queryProjectDeployLogs',
    'Deployment',
    ({ deps, caller }, ids) => queryProjectDeployLogs(deps, { params: deployment(ids), body: page }, caller),
  ],
  [
    'getListener',
    'Listener',
    ({ deps, caller }, ids) => getListener(deps, { params: listener(ids) }, caller),
  ],
  [
    'createDeployment',
    'Listener',
    (world, ids) =>
      requests.post(world, {
        name: 'new',
        source_config: { repo_url: 'https://example.com/a.git', listener_id: ids.listener },
        source_revision_config: {},
      }),
  ],
  [
    'claimTasks',
    'Listener',
    ({ deps, caller }, ids) =>
      claimTasks(
        deps,
        { params: listener(ids), body: { instance_id: 'i', max: 1, holding: [], wait_seconds: 0 } },
        caller,
      ),
  ],
  ['getDesired', 'Listener', ({ deps, caller }, ids) => getDesired(deps, { params: listener(ids) }, caller)],
  [
    'reportStatus',
    'Listener',
    ({ deps, caller }, ids) => reportStatus(deps, { params: listener(ids), body: { reports: [] } }, caller),
  ],
  [
    'shipLogs',
    'Listener',
    ({ deps, caller }, ids) => shipLogs(deps, { params: listener(ids), body: { batches: [] } }, caller),
  ],
  [
    'getSpec',
    'Deployment',
    ({ deps, caller }, ids) => getSpec(deps, { params: { ...listener(ids), ...deployment(ids) } }, caller),
  ],
  [
    'heartbeatTask',
    'Task',
    ({ deps, caller }, ids) => heartbeatTask(deps, { params: task(ids), body: { lease_id } }, caller),
  ],
  [
    'completeTask',
    'Task',
    ({ deps, caller }, ids) =>
      completeTask(deps, { params: task(ids), body: { lease_id, outcome: 'failed' } }, caller),
  ],
  [
    'shipTaskLogs',
    'Task',
    ({ deps, caller }, ids) =>
      shipTaskLogs(deps, { params: task(ids), body: { lease_id, lines: [] } }, caller),
  ],
];

async function twoTenants() {
  const mine = await aWorld();
  const theirs = mine.as();
  const made = [];
  for (const world of [mine, theirs]) {
    const listenerId = (await requests.register(world, 'machine')).id;
    const { id } = await requests.post(world, requests.github('a', { secrets: [{ name: 'A', value: 'b' }] }));
    const { id: revisionId } = await ended(world, id, 'DEPLOYED');
    made.push({ deployment: id, revision: revisionId, listener: listenerId });
  }
  const [own, foreign] = made;
  if (own === undefined || foreign === undefined) throw new Error('two were made');
  return { mine, own, foreign };
}

describe('another tenant’s id', () => {
  it('reads the same as one that is not there, in every use case, and nothing is written', async () => {
    const { mine, foreign } = await twoTenants();
    const nothing = mine.deps.clock.randomId();
    const before = await allItems(mine.deps.table);
    for (const [operation, kind, ask] of asks) {
      for (const ids of [foreign, { deployment: nothing, revision: nothing, listener: nothing }]) {
        const id = { Deployment: ids.deployment, Listener: ids.listener, Task: task_id }[kind];
        const answer = await requests.refusedWith(ask(mine, ids));
        expect([operation, answer]).toEqual([operation, `404 ${kind} ID ${id} not found.`]);
      }
    }
    expect(await allItems(mine.deps.table)).toEqual(before);
  });

  it('of a revision is not one of the own deployment’s', async () => {
    const { mine, own, foreign } = await twoTenants();
    const other = await requests.post(mine, requests.github('b'));
    // Numbers are the same in each deployment: only the whole id counts.
    for (const revisionId of [foreign.revision, other.latest_revision_id, mine.deps.clock.randomId()]) {
      const mixed = { ...own, revision: revisionId };
      const gone = `404 Revision ID ${revisionId} not found.`;
      for (const [operation, , ask] of asks) {
        if (!/^(get|redeploy|interrupt)Revision$|^query(Build|Deploy|Revision)Logs$/.test(operation))
          continue;
        expect([operation, await requests.refusedWith(ask(mine, mixed))]).toEqual([operation, gone]);
      }
    }
  });

  it('is in no list', async () => {
    const { mine, own, foreign } = await twoTenants();
    const query = { deployment_ids: `${own.deployment},${foreign.deployment}` };
    for (const { resources } of [await requests.list(mine), await requests.list(mine, query)]) {
      expect(resources.map(({ id }) => id)).toEqual([own.deployment]);
    }
    expect((await requests.listeners(mine)).resources.map(({ id }) => id)).toEqual([own.listener]);
    const changed = requests.change(mine, own.deployment, {
      source_config: { listener_id: foreign.listener },
    });
    expect(await requests.refusedWith(changed)).toBe(
      "400 'source_config.listener_id' cannot be changed after creation.",
    );
  });
});
