import { describe, expect, it } from 'vitest';
import { ingestServerOutput } from '../../lib/features/logs/ingest.ts';
import { AgentSecretsTwin } from '../support/world/agent-secrets-twin.ts';
import {
  aDrivenWorld,
  type DrivenWorld,
  imageOf,
  next,
  postImage,
  serving,
} from '../support/world/driven-world.ts';
import { change, redeploy, show } from '../support/world/requests.ts';
import { reaches } from '../support/world/steps.ts';

/** A world whose installation gives all servers these variables. */
async function giving(members: Record<string, string>) {
  const world = await aDrivenWorld();
  const item = new AgentSecretsTwin(members);
  world.deps.agentSecrets = item;
  return { world, item };
}

/** The set that gets the requests. */
function servingSet(world: DrivenWorld, id: string) {
  const { sets, traffic } = world.compute.deployments.get(id) ?? {};
  return sets?.get(traffic ?? '')?.of;
}

async function deployLog({ deps, caller }: DrivenWorld, deploymentId: string, revisionId: string) {
  const stream = { tenantId: caller.tenantId, deploymentId, revisionId, type: 'deploy' as const };
  const { entries } = await deps.logs.query(stream, { order: 'asc', limit: 100 });
  return entries.map(({ message }) => message);
}

describe('what the installation gives to all servers', () => {
  it('comes by reference beside their own variables, which win, and is named in the deploy log', async () => {
    const { world, item } = await giving({ LICENCE: 'licence of all', MODEL_KEY: 'key of all', PORT: '1' });
    item.remark = 'Of the item, no server is given DATABASE_URI.';
    const { id, latest_revision_id: first } = await postImage(world, 'app', {});
    const { latest_revision_id: second } = await change(world, id, {
      secrets: [{ name: 'MODEL_KEY', value: 'key of mine' }],
    });
    await reaches(world, id, second, 'DEPLOYED');
    const set = servingSet(world, id);
    expect(set?.shared).toEqual({
      arn: item.arn,
      version: 'v1',
      variables: [{ name: 'LICENCE', key: 'LICENCE' }],
    });
    expect(set?.environment).toContainEqual({ name: 'MODEL_KEY', value: 'key of mine' });
    expect(JSON.stringify(set)).not.toContain('of all');
    expect(await deployLog(world, id, second)).toEqual(
      expect.arrayContaining(['The installation gives these servers LICENCE (agentSecrets).', item.remark]),
    );
    expect(await deployLog(world, id, first)).toContain(
      'The installation gives these servers LICENCE, MODEL_KEY (agentSecrets).',
    );
  });

  it('changes nothing of what runs until it is deployed again, and then makes servers of its own', async () => {
    const { world, item } = await giving({ LICENCE: 'licence-1' });
    const id = await serving(world, 'app');
    const before = servingSet(world, id)?.key;
    item.change({ LICENCE: 'licence-2', MORE: 'x' });
    await world.sweepFor(1800);
    expect(servingSet(world, id)?.key).toBe(before);
    const { latest_revision_id: again } = await redeploy(
      world,
      id,
      (await show(world, id)).latest_revision_id,
    );
    await reaches(world, id, again, 'DEPLOYED');
    expect(servingSet(world, id)).toMatchObject({
      shared: { version: 'v2', variables: [{ name: 'LICENCE' }, { name: 'MORE' }] },
    });
    expect(world.compute.gaps).toEqual([]);
  });

  it('is not what a set has that drains since before it changed: a rollback makes a new one', async () => {
    const { world, item } = await giving({ LICENCE: 'licence-1' });
    const { id, latest_revision_id: first } = await postImage(world, 'app');
    await reaches(world, id, first, 'DEPLOYED');
    await reaches(world, id, await next(world, id, 'two'), 'DEPLOYED');
    item.change({ LICENCE: 'licence-2' });
    const { latest_revision_id: back } = await redeploy(world, id, first);
    await reaches(world, id, back, 'DEPLOYED');
    expect(servingSet(world, id)).toMatchObject({ image: imageOf('one'), shared: { version: 'v2' } });
    expect(world.compute.gaps).toEqual([]);
  });
});

describe('an item that cannot be read', () => {
  it('fails a deploy in words, and leaves what serves as it is', async () => {
    const { world, item } = await giving({ LICENCE: 'licence-1' });
    const id = await serving(world, 'app');
    item.problem = "The item 'agents' cannot be used (AccessDeniedException: no).";
    const failed = await reaches(world, id, await next(world, id, 'two'), 'DEPLOY_FAILED');
    expect(failed.status_message).toBe(item.problem);
    await world.sweepFor(1800);
    expect(await show(world, id)).toMatchObject({ status: 'READY' });
    expect(servingSet(world, id)).toMatchObject({ image: imageOf('one') });
    expect(world.compute.gaps).toEqual([]);
  });

  it('has no output quoted nor stored, for nobody knows what must be masked', async () => {
    const { world, item } = await giving({ LICENCE: 'licence-1' });
    world.compute.called = (call) => {
      if (call === 'create service') item.problem = 'The item cannot be used.';
    };
    const output = ['it was licence-1'];
    const failure = { kind: 'exited', exitCode: 3, times: 2, output } as const;
    world.compute.scripts.set(imageOf('one'), { failure });
    const { id, latest_revision_id: first } = await postImage(world, 'app');
    const failed = await reaches(world, id, first, 'DEPLOY_FAILED');
    expect(failed.status_message).toBe(
      'The server exits in a loop: 2 times so far, last with code 3. Correct the cause and deploy again.',
    );
    const ref = { tenantId: world.caller.tenantId, deploymentId: id, revisionId: first };
    const other = await postImage(world, 'other');
    const pieces = [{ timestamp: 1, message: 'licence-1' }];
    const before = { ...ref, deploymentId: other.id, revisionId: other.latest_revision_id };
    await expect(ingestServerOutput(world.deps, before, pieces)).rejects.toThrow('cannot be used');
  });
});

describe('its values', () => {
  it('are masked in what servers print and in the reason of a failure, as they are and as they were', async () => {
    const { world, item } = await giving({ LICENCE: 'licence-1', OTHER: 'unchanged' });
    item.change({ LICENCE: 'licence-2', OTHER: 'unchanged' });
    const output = ['licence-1 then licence-2, unchanged'];
    world.compute.scripts.set(imageOf('one'), { failure: { kind: 'exited', exitCode: 3, times: 2, output } });
    const { id, latest_revision_id: first } = await postImage(world, 'app');
    const failed = await reaches(world, id, first, 'DEPLOY_FAILED');
    expect(failed.status_message).toMatch(/\n\*\*\* then \*\*\*, \*\*\*$/);
    const second = await next(world, id, 'two');
    await reaches(world, id, second, 'DEPLOYED');
    const ref = { tenantId: world.caller.tenantId, deploymentId: id, revisionId: second };
    const pieces = [{ timestamp: world.deps.clock.now(), message: 'with licence-2 and licence-1' }];
    await ingestServerOutput(world.deps, ref, pieces);
    expect(await deployLog(world, id, second)).toContain('with *** and ***');
  });
});
