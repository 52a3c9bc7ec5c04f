import { expect, it } from 'vitest';
import { load } from '../../../lib/core/engine/load.ts';
import { redeployRevision } from '../../../lib/features/deployments/redeploy.ts';
import { heartbeatTask } from '../../../lib/features/listener-protocol/heartbeat.ts';
import { reportStatus } from '../../../lib/features/listener-protocol/status.ts';
import { interruptRevision } from '../../../lib/features/revisions/interrupt.ts';
import { commitOf } from '../../support/world/git-host.ts';
import { claim, complete, listening, offered } from '../../support/world/listening.ts';
import { ended } from '../../support/world/processed.ts';
import { change, github, post, postRevision, revisions, showRevision } from '../../support/world/requests.ts';
import { commits, watching } from '../../support/world/watching.ts';
import { allItems } from '../../support/world/world.ts';

const SECRET = 'canary-of-eight-or-more';
const secrets = [{ name: 'TOKEN', value: SECRET }];

it('what a listener says of the end of a deploy is kept without secrets', async () => {
  const world = await listening();
  const { id } = await offered(world, 'a', secrets);
  const [task] = (await claim(world)).tasks;
  await complete(world, task, 'succeeded', {
    url: `http://user:${SECRET}@localhost:4401/d/a?token=${SECRET}`,
    image_version: `v1-${SECRET}`,
    status_message: `It has ${SECRET}`,
  });
  const loaded = await load(world.deps, { tenantId: world.caller.tenantId, deploymentId: id });
  expect(loaded?.slotRevision?.outcome).toMatchObject({
    url: 'http://user:***@localhost:4401/d/a?token=***',
    image_version: 'v1-***',
    message: 'It has ***',
  });
  expect(JSON.stringify(await allItems(world.deps.table))).not.toContain(SECRET);
});

it('an address that a variable names too is kept: nobody could reach the agent otherwise', async () => {
  const world = await listening();
  const url = 'http://agents.example.com:4401/d/a';
  const own = [{ name: 'PUBLIC_URL', value: url }];
  const { id } = await offered(world, 'a', [...own, { name: 'HOST_NAME', value: 'agents.example.com' }]);
  const [task] = (await claim(world)).tasks;
  await complete(world, task, 'succeeded', { url });
  const loaded = await load(world.deps, { tenantId: world.caller.tenantId, deploymentId: id });
  expect(loaded?.slotRevision?.outcome).toMatchObject({ url });
});

it('what a listener reports of a deployment is kept without secrets', async () => {
  const world = await listening();
  const { id } = await post(world, github('a', { secrets }));
  const active = await ended(world, id, 'DEPLOYED', { outcome: { epoch: 5 } });
  const reports = [
    {
      deployment_id: id,
      revision_id: active.id,
      epoch: 5,
      healthy: false,
      reason: `It printed ${SECRET}`,
      url: `http://localhost:4401/${SECRET}`,
    },
  ];
  const input = { params: { listener_id: world.listenerId }, body: { reports } };
  expect(await reportStatus(world.deps, input, world.caller)).toEqual({ accepted: 1 });
  const loaded = await load(world.deps, { tenantId: world.caller.tenantId, deploymentId: id });
  expect(loaded?.deployment.active).toMatchObject({
    reason: 'It printed ***',
    url: 'http://localhost:4401/***',
  });
  const before = JSON.stringify(await allItems(world.deps.table));
  expect(before).not.toContain(SECRET);
});

it('why a person redeploys or interrupts is kept without secrets, in the audit log too', async () => {
  const world = await listening();
  const { id } = await post(world, github('a', { secrets }));
  const old = await ended(world, id, 'DEPLOYED');
  const rotated = 'what-it-was-rotated-to';
  await change(world, id, { secrets: [{ name: 'TOKEN', value: rotated }] });
  await ended(world, id, 'DEPLOYED');
  const body = { reason: ` ${SECRET} was wrong, and so is ${rotated} ` };
  const params = { deployment_id: id, revision_id: old.id };
  const shown = await redeployRevision(world.deps, { params, query: {}, headers: {}, body }, world.caller);
  await postRevision(world, id);
  const made = { deployment_id: id, revision_id: shown.latest_revision_id ?? '' };
  await interruptRevision(world.deps, { params: made, body }, world.caller);
  const kept = JSON.stringify(await allItems(world.deps.table));
  expect(kept).not.toContain(SECRET);
  expect(kept).not.toContain(rotated);
  // The cause of the new revision, and the audit marks of both requests.
  expect(kept.split('"*** was wrong, and so is ***"')).toHaveLength(4);
});

it('what the host says of a commit is kept without secrets', async () => {
  const { world, id, pushed } = await watching();
  await change(world, id, { secrets });
  await ended(world, id, 'DEPLOYED', { commit: commitOf('0') });
  await pushed('one', commitOf('2'), {
    head_commit: {
      id: commitOf('2'),
      // The secret begins before the place where what is kept of a message ends.
      message: `Use ${SECRET} ${'x'.repeat(90)} ${SECRET}\n\nAt once.`,
      timestamp: '2026-01-02T03:04:05+01:00',
      author: { name: `Ada ${SECRET}`, email: 'ada@example.com' },
    },
  });
  expect(await commits(world, id)).toContain('2');
  const { resources } = await revisions(world, id);
  const { commit } = resources.find(({ cause }) => cause?.kind === 'push') ?? {};
  expect(commit).toMatchObject({ message: expect.stringMatching(/^Use \*{3} x+ \*{3}$/), author: 'Ada ***' });
  expect(JSON.stringify(resources)).not.toContain(SECRET.slice(0, 8));
});

it('what a deploy waits for is shown without its secrets, until it goes on', async () => {
  const world = await listening();
  const { id, revisionId } = await offered(world, 'a', [{ name: 'TOKEN', value: 'a-secret' }]);
  const [task] = (await claim(world)).tasks;
  const params = { listener_id: world.listenerId, task_id: task?.task_id ?? '' };
  const beat = (more: object) =>
    heartbeatTask(world.deps, { params, body: { lease_id: task?.lease_id ?? '', ...more } }, world.caller);
  const said = async () => (await showRevision(world, id, revisionId)).status_message;
  await beat({ phase: 'starting', status_message: 'No room for a-secret.' });
  expect(await said()).toBe('No room for ***.');
  await beat({ phase: 'starting' });
  expect(await said()).toBe('No room for ***.');
  await beat({ phase: 'starting', status_message: '' });
  expect(await said()).toBeNull();
  await beat({ phase: 'starting', status_message: 'No room.' });
  await beat({ phase: 'switching', status_message: '' });
  expect(await said()).toBeNull();
});
