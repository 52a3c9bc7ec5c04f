import { setTimeout } from 'node:timers/promises';
import { TransactionInProgressException } from '@aws-sdk/client-dynamodb';
import { describe, expect, it } from 'vitest';
import { create as createDispatch } from '../../../functions/streams/dispatch.ts';
import { functionRows } from '../../../lib/contract/functions.ts';
import { timeLimited } from '../../../lib/embedded/runtime/handlers.ts';
import { deploymentKey } from '../../../lib/store/keys/index.ts';
import { limited } from '../../support/table/limited-table.ts';
import { until } from '../../support/until.ts';
import { inProgress } from '../../support/world/processed.ts';
import {
  change,
  github,
  interrupt,
  post,
  register,
  revisions,
  showRevision,
} from '../../support/world/requests.ts';
import { aRunningWorld } from '../../support/world/running-world.ts';
import { buildStarted, claimed, reaches } from '../../support/world/steps.ts';
import { allItems, aWorld } from '../../support/world/world.ts';

const never = (): Promise<never> => new Promise(() => undefined);

it('a call that never returns halts no other deployment, and the sweep goes on', async () => {
  const world = await aRunningWorld();
  const { id, latest_revision_id: first } = await post(world, github('one'));
  await buildStarted(world, first);
  await world.deps.builds.become(`build-${first}`, { state: 'running' });
  await reaches(world, id, first, 'BUILDING');
  // Long enough for a look that does not hang.
  world.deps.clock.wait = () => setTimeout(5_000);
  world.deps.workflow.fail = never;
  await interrupt(world, id, first);

  const { latest_revision_id: second } = await post(world, github('two'));
  await buildStarted(world, second);
  world.advance(61);
  // The look that hangs is given up once the other has said when it looks next.
  const dueOf = async () =>
    (await allItems(world.deps.table)).find(({ entity, id: own }) => entity === 'revision' && own === second)
      ?.due_at;
  const due = await dueOf();
  expect(due).toBeDefined();
  world.deps.clock.wait = () =>
    until(async () => (await dueOf()) !== due, { what: 'the other look' }).then(() => undefined);
  await expect(world.sweep()).rejects.toThrow(/1 of 2/);
});

it('a function ends when its time is over', async () => {
  const sweep = timeLimited({ name: 'sweep', timeoutSeconds: 0.05 }, never);
  await expect(sweep({ all: true })).rejects.toThrow('sweep took longer than 0.05 s');
});

it('records of a deployment that could not be looked at come again, and only those', async () => {
  const world = await aWorld();
  const { tenantId } = world.caller;
  await register(world, 'machine');
  const [broken, fine] = [await post(world, github('broken')), await post(world, github('fine'))];
  for (const { id } of [broken, fine]) await inProgress(world, id, 'QUEUED');
  const started: string[] = [];
  world.deps.workflow.start = async (_, { deploymentId }) => {
    if (deploymentId === broken.id) throw new Error('down');
    started.push(deploymentId);
    return 'started';
  };
  const record = (SequenceNumber: string, id: string) => {
    const { pk, sk } = deploymentKey(tenantId, id);
    return { dynamodb: { SequenceNumber, Keys: { pk: { S: pk }, sk: { S: sk } } } };
  };
  const dispatch = createDispatch(() => limited(world.deps, functionRows.dispatch.access));
  const Records = [record('1', broken.id), record('2', fine.id), record('3', broken.id)];
  expect(await dispatch({ Records })).toEqual({
    batchItemFailures: [{ itemIdentifier: '1' }, { itemIdentifier: '3' }],
  });
  expect(started).toEqual([fine.id]);
});

const throttled = () => Object.assign(new Error('Rate exceeded'), { name: 'ThrottlingException' });

describe('a log that cannot be read', () => {
  it('keeps no revision from ending, and no other from its turn', async () => {
    const world = await aRunningWorld();
    const { id, latest_revision_id: first } = await post(world, github('app'));
    await buildStarted(world, first);
    const { latest_revision_id: second } = await change(world, id, {
      source_revision_config: { repo_ref: 'next' },
    });
    world.deps.logs.query = () => Promise.reject(new Error('incorrect header check'));
    await world.deps.builds.become(`build-${first}`, { state: 'failed', message: 'npm ci exited with 1' });

    await reaches(world, id, first, 'BUILD_FAILED');
    await buildStarted(world, second);
  });
});

describe('a question of the sweep that is not answered', () => {
  it('is said to whoever called it, after everything else was looked at', async () => {
    const world = await aRunningWorld();
    const { latest_revision_id: first } = await post(world, github('app'));
    await buildStarted(world, first);
    world.deps.workflow.status = () =>
      Promise.reject(Object.assign(new Error('not authorized'), { name: 'AccessDeniedException' }));
    world.advance(61);

    await expect(world.sweep()).rejects.toThrow(/1 of 1/);
  });

  it('keeps no lease from running out', async () => {
    const world = await aRunningWorld();
    const { id, latest_revision_id: first } = await post(world, github('app'));
    await buildStarted(world, first);
    await world.deps.builds.succeed(first);
    await claimed(world);
    world.deps.workflow.status = () => Promise.reject(throttled());
    world.advance(61);
    await world.sweep().catch(() => undefined);

    expect((await showRevision(world, id, first)).status).toBe('UNKNOWN');
  });
});

describe('a transaction that is said to be in progress', () => {
  it('is not made twice', async () => {
    const world = await aWorld();
    await register(world, 'machine');
    const { id } = await post(world, github('a'));
    let sent = 0;
    world.deps.table.client.middlewareStack.add(
      (next, { commandName }) =>
        async (args) => {
          const result = await next(args);
          if (commandName === 'TransactWriteItemsCommand' && sent++ === 0)
            throw new TransactionInProgressException({ message: 'in progress', $metadata: {} });
          return result;
        },
      { step: 'initialize', name: 'in-progress' },
    );

    await change(world, id, { source_revision_config: { repo_ref: 'next' } });

    expect((await revisions(world, id)).resources).toHaveLength(2);
    expect(sent).toBeGreaterThan(1);
  });
});

describe('a control plane that was away', () => {
  it('gives a listener that could not report at least one lease before its deploy fails', async () => {
    const world = await aRunningWorld();
    const { id, latest_revision_id: first } = await post(world, github('app'));
    await buildStarted(world, first);
    await world.deps.builds.succeed(first);
    await claimed(world);
    world.advance(16 * 60);
    await world.sweep();
    await world.sweep();

    expect((await showRevision(world, id, first)).status).toBe('UNKNOWN');
    await world.sweepFor(2 * 61);
    await reaches(world, id, first, 'DEPLOY_FAILED');
  });
});
