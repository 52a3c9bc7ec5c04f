import { describe, expect, it } from 'vitest';
import { update } from '../../../lib/store/dynamodb/expressions.ts';
import { transact } from '../../../lib/store/dynamodb/transact.ts';
import { deploymentKey } from '../../../lib/store/keys/index.ts';
import { ended } from '../../support/world/processed.ts';
import {
  change,
  github,
  list,
  post,
  postRevision,
  redeploy,
  register,
  remove,
  show,
} from '../../support/world/requests.ts';
import { aWorld, type World } from '../../support/world/world.ts';

const same = { differs: false, fields: [] };
const differs = (...fields: string[]) => ({ differs: true, fields });
const A = (value: string) => ({ secrets: [{ name: 'A', value }] });

async function made(more: object = {}): Promise<{ world: World; id: string }> {
  const world = await aWorld();
  await register(world, 'cluster', { compute_type: 'k8s', compute_config: { k8s_namespaces: ['one'] } });
  return { world, id: (await post(world, github('a', more))).id };
}

/** Shown alike by the deployment alone and in both kinds of lists. */
async function shown(world: World, id: string) {
  const { active_configuration: configuration } = await show(world, id);
  for (const query of [{}, { name: 'a' }]) {
    const [listed] = (await list(world, query)).resources;
    expect(listed?.active_configuration).toEqual(configuration);
  }
  return configuration;
}

describe('what serves, beside what the deployment is configured to be', () => {
  it('is nothing before the first deploy and while the deployment is deleted', async () => {
    const { world, id } = await made();
    expect(await shown(world, id)).toBeNull();
    await ended(world, id, 'DEPLOYED');
    expect(await shown(world, id)).toEqual(same);
    await remove(world, id);
    expect((await show(world, id)).active_configuration).toBeNull();
  });

  it('differs until a change is deployed, and as long as its deploy fails', async () => {
    const { world, id } = await made(A('one'));
    await ended(world, id, 'DEPLOYED');
    const reference = { name: 'R', secret_name: 's', secret_key: 'k' };
    const spec = { cpu: 2, labels: { a: 'b', c: 'd' } };
    const config = { resource_spec: spec, install_command: 'make', build_command: 'make' };
    const patched = await change(world, id, {
      ...A('two'),
      secret_references: [reference],
      source_config: config,
    });
    const all = differs(
      'secrets',
      'source_config.install_command',
      'source_config.build_command',
      'source_config.resource_spec',
      'secret_references',
    );
    expect(patched.active_configuration).toEqual(all);
    await ended(world, id, 'DEPLOY_FAILED');
    expect(await shown(world, id)).toEqual(all);
    await postRevision(world, id);
    await ended(world, id, 'DEPLOYED');
    expect(await shown(world, id)).toEqual(same);
    // The same in other words is no difference.
    await change(world, id, { source_config: { resource_spec: { labels: { c: 'd', a: 'b' }, cpu: 2 } } });
    expect(await shown(world, id)).toEqual(same);
  });

  it('differs after a rollback until the deployment is deployed again', async () => {
    const { world, id } = await made(A('one'));
    const old = await ended(world, id, 'DEPLOYED');
    await change(world, id, { ...A('two'), source_config: { repo_url: 'https://example.com/other.git' } });
    const newer = await ended(world, id, 'DEPLOYED');
    // The source becomes that of the old revision, so what serves differs in it too until that serves.
    expect((await redeploy(world, id, old.id)).active_configuration).toEqual(
      differs('source_config.repo_url'),
    );
    await ended(world, id, 'DEPLOYED');
    expect(await shown(world, id)).toEqual(differs('secrets'));
    expect((await redeploy(world, id, old.id, { secrets: 'current' })).active_configuration).toEqual(
      differs('secrets'),
    );
    await ended(world, id, 'DEPLOYED');
    expect(await shown(world, id)).toEqual(same);
    await redeploy(world, id, newer.id);
    await ended(world, id, 'DEPLOYED');
    expect(await shown(world, id)).toEqual(same);
  });

  it('is told of what an earlier release deployed', async () => {
    const { world, id } = await made(A('one'));
    await ended(world, id, 'DEPLOYED');
    const at = deploymentKey(world.caller.tenantId, id);
    const forget = () =>
      transact(world.deps.table, [
        update('deployment', at, {
          set: { v: 3 },
          remove: ['active.configuration', 'active.secrets'],
        }),
      ]);
    await forget();
    expect(await shown(world, id)).toEqual(same);
    await change(world, id, A('two'));
    await forget();
    expect(await shown(world, id)).toEqual(differs('secrets'));
    await ended(world, id, 'DEPLOYED');
    expect(await shown(world, id)).toEqual(same);
  });
});
