import { describe, expect, it } from 'vitest';
import { findRevision } from '../../lib/core/items/revisions.ts';
import { describeFailure } from '../../lib/domain/agent-failure.ts';
import { AgentSecretsTwin } from '../support/world/agent-secrets-twin.ts';
import { aDrivenWorld, type DrivenWorld, postImage } from '../support/world/driven-world.ts';
import { change, github, post } from '../support/world/requests.ts';
import { buildStarted, reaches } from '../support/world/steps.ts';

async function statusesOf({ deps, caller }: DrivenWorld, deploymentId: string, revisionId: string) {
  const { tenantId } = caller;
  const revision = await findRevision(deps.table, { tenantId, deploymentId, revisionId });
  return revision?.history.map(({ status }) => status);
}

const [POSTGRES, REDIS, LICENCE] = ['POSTGRES_URI_CUSTOM', 'REDIS_URI_CUSTOM', 'LANGGRAPH_CLOUD_LICENSE_KEY'];
const langgraph = { resource_spec: { queue_cpu: 1 } };
const secrets = [
  { name: POSTGRES, value: 'postgres://db/x' },
  { name: REDIS, value: 'redis://cache' },
];
const both = describeFailure({ kind: 'needs_missing', stores: [POSTGRES, REDIS], licence: true });

describe('a LangGraph server without its stores', () => {
  it('is refused when it is prepared: nobody is offered it', async () => {
    const world = await aDrivenWorld();
    const { id, latest_revision_id: first } = await postImage(world, 'app', langgraph);
    const failed = await reaches(world, id, first, 'DEPLOY_FAILED');
    expect(failed.status_message).toBe(both);
    expect(await statusesOf(world, id, first)).not.toContain('DEPLOYING');
    expect(world.compute.calls).toEqual([]);
  });

  it('runs once they are given, and reads them by the names that it knows', async () => {
    const world = await aDrivenWorld();
    const { latest_revision_id: first, id } = await postImage(world, 'app', langgraph);
    await reaches(world, id, first, 'DEPLOY_FAILED');
    const { latest_revision_id: second } = await change(world, id, { secrets });
    await reaches(world, id, second, 'DEPLOYED');
    const [set] = world.compute.deployments.get(id)?.sets.values() ?? [];
    expect(set?.of.environment).toEqual(
      expect.arrayContaining([
        { name: 'DATABASE_URI', value: 'postgres://db/x' },
        { name: 'REDIS_URI', value: 'redis://cache' },
        { name: 'PORT', value: '8000' },
      ]),
    );
  });

  it('is not refused for what the installation gives it, nor while that is not known', async () => {
    const world = await aDrivenWorld();
    const twin = new AgentSecretsTwin({ [POSTGRES]: 'postgres://db/y', [REDIS]: 'redis://other' });
    world.deps.agentSecrets = twin;
    const { id, latest_revision_id: first } = await postImage(world, 'app', langgraph);
    await reaches(world, id, first, 'DEPLOYED');
    const [set] = world.compute.deployments.get(id)?.sets.values() ?? [];
    expect(set?.of.shared).toEqual({
      arn: twin.arn,
      version: 'v1',
      variables: [
        { name: POSTGRES, key: POSTGRES },
        { name: REDIS, key: REDIS },
        { name: 'DATABASE_URI', key: POSTGRES },
        { name: 'REDIS_URI', key: REDIS },
      ],
    });
    twin.problem = 'The item cannot be used.';
    const other = await postImage(world, 'other', langgraph);
    const failed = await reaches(world, other.id, other.latest_revision_id, 'DEPLOY_FAILED');
    expect(failed.status_message).toBe('The item cannot be used.');
    expect(await statusesOf(world, other.id, other.latest_revision_id)).toContain('DEPLOYING');
  });
});

describe('a build for Fargate', () => {
  const posted = async (given: object, item?: Record<string, string>) => {
    const world = await aDrivenWorld();
    if (item !== undefined) world.deps.agentSecrets = new AgentSecretsTwin(item);
    const { latest_revision_id: first } = await post(world, github('app', given));
    await buildStarted(world, first);
    return world.deps.builds.jobs.get(`build-${first}`);
  };

  it('hears what a LangGraph server would lack, of the deployment and of the installation', async () => {
    expect(await posted({})).toMatchObject({
      serverLacks: { stores: [POSTGRES, REDIS], licence: true, isAll: true },
    });
    expect(await posted({ secrets: [secrets[0]] }, { [LICENCE]: 'licence-1' })).toMatchObject({
      serverLacks: { stores: [REDIS], licence: false, isAll: true },
    });
    expect(await posted({ secrets }, { [LICENCE]: 'licence-1' })).not.toHaveProperty('serverLacks');
  });
});
