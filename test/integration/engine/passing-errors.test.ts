import { TransactionInProgressException } from '@aws-sdk/client-dynamodb';
import { describe, expect, it } from 'vitest';
import { change, github, post, register, revisions, showRevision } from '../../support/world/requests.ts';
import { aRunningWorld } from '../../support/world/running-world.ts';
import { buildStarted, claimed, reaches } from '../../support/world/steps.ts';
import { aWorld } from '../../support/world/world.ts';

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
