import { describe, expect, it } from 'vitest';
import { findDeployment, getConfiguration } from '../../../lib/core/items/deployments.ts';
import { ended } from '../../support/world/processed.ts';
import {
  change,
  github,
  list,
  post,
  postRevision,
  redeploy,
  refusedWith,
  register,
  revisions,
  show,
} from '../../support/world/requests.ts';
import { allItems, aWorld, type World } from '../../support/world/world.ts';

const OLD = { repo_url: 'https://example.com/old.git', install_command: 'make deps', build_command: 'make' };

async function deployed(config: object = {}, more: object = {}): Promise<{ world: World; id: string }> {
  const world = await aWorld();
  await register(world, 'machine');
  const { id } = await post(world, github('a', { source_config: { ...OLD, ...config }, ...more }));
  await ended(world, id, 'DEPLOYED');
  return { world, id };
}

const newest = async (world: World, id: string) => (await revisions(world, id)).resources[0];

/** What the latest revision will run. */
async function configuration(world: World, id: string) {
  const deployment = await findDeployment(world.deps.table, world.caller.tenantId, id);
  const owner = { tenantId: world.caller.tenantId, deploymentId: id };
  return getConfiguration(world.deps.table, owner, deployment?.configuration ?? 0);
}

/** Of one field by itself, see fields.test.ts. */
describe('a PATCH', () => {
  const cases: [body: object, revises: boolean][] = [
    [{ source_config: { repo_url: OLD.repo_url } }, true],
    [{ source_config: { build_command: '' } }, true],
    [{ source_revision_config: { repo_ref: 'develop' } }, true],
    [{ source_revision_config: { graph_config_path: 'a/langgraph.json' } }, true],
    [{ source_revision_config: { langgraph_config_path: 'a/langgraph.json' } }, true],
    [{ secrets: [{ name: 'A', value: 'b' }] }, true],
    [{ clear_secrets: true, source_config: { build_on_push: true } }, false],
    [{ secrets: [], source_config: { resource_spec: { cpu: 1 } } }, true],
    [{ revision_source: 'github', secrets: [{ name: 'A', value: 'b' }] }, true],
    [{ secrets: [], secret_references: [], source_config: { build_on_push: true } }, false],
    [{ source_config: { build_env: [], build_on_push: true } }, false],
  ];

  it.each(cases)('%j makes a revision: %s', async (body, revises) => {
    const { world, id } = await deployed({ deployment_type: 'dev' });
    const before = await show(world, id);
    const after = await change(world, id, body);
    const { resources } = await revisions(world, id);
    expect(resources).toHaveLength(revises ? 2 : 1);
    expect(after.latest_revision_id).toBe(resources[0]?.id);
    expect(after.config_version).toBe(before.config_version + 1);
    expect(after.active_revision_id).toBe(before.active_revision_id);
    expect(await show(world, id)).toEqual(after);
  });
});

describe('a PATCH that names no source and changes nothing', () => {
  const SPEC = { cpu: 1, labels: { b: '1', a: { x: [null] } } };
  const same = {
    display_name: 'Support',
    tracked_packages: { p: '1', o: '2' },
    secrets: [{ name: 'A', value: 'one' }],
  };
  const bare = [
    {},
    { secrets: [], secret_references: [] },
    { clear_secrets: true },
    { source_config: { resource_spec: {}, custom_url: '' } },
    { source_config: { custom_url: 'http://localhost:4401/d/it' } },
    { display_name: null, source_config: {}, source_revision_config: {} },
    { source_config: { repo_url: null, resource_spec: null }, source_revision_config: { repo_ref: null } },
    { secrets: null, secret_references: null, source_config: null, source_revision_config: null },
    { name: 'a', source: 'github', revision_source: 'github' },
    { source_config: { deployment_type: 'dev' } },
    { source_revision_config: { repo_commit_sha: 'd'.repeat(40) } },
  ];
  const full = [
    { ...same, secrets: [{ name: 'A', value: '**********' }] },
    { secrets: [] },
    { secrets: [], clear_secrets: false },
    { source_config: { resource_spec: { labels: { a: { x: [null] }, b: '1' }, cpu: 1 } } },
    { tracked_packages: { o: '2', p: '1' } },
  ];

  it.each([
    ...bare.map((body) => [body, {}, {}] as const),
    ...full.map((body) => [body, { resource_spec: SPEC }, same] as const),
  ])('%j makes no revision and raises no version', async (body, config, more) => {
    const { world, id } = await deployed({ deployment_type: 'dev', ...config }, more);
    const before = await show(world, id);
    const stored = await allItems(world.deps.table);
    expect(await change(world, id, body, `"${before.config_version}"`)).toEqual(before);
    expect(await allItems(world.deps.table)).toEqual(stored);
    expect(await refusedWith(change(world, id, body, '"99"'))).toMatch(/^412 /);
  });

  it('is not one that names its source as it is: a branch may have a new commit', async () => {
    const { world, id } = await deployed();
    await change(world, id, { source_revision_config: { repo_ref: 'main' } });
    expect((await revisions(world, id)).resources).toHaveLength(2);
    expect(await postRevision(world, id)).toMatchObject({ status: 'QUEUED' });
  });
});

describe('the display name', () => {
  const text = '  Kundendienst «Süd» \u{1f916}';

  it('is taken, kept through other changes and shown; null clears it', async () => {
    const { world, id } = await deployed({}, { display_name: text });
    expect((await show(world, id)).display_name).toBe(text);
    await change(world, id, { source_revision_config: { repo_ref: 'develop' } });
    await redeploy(world, id, (await show(world, id)).active_revision_id ?? '');
    expect((await list(world)).resources.map(({ display_name }) => display_name)).toEqual([text]);
    const cleared = await change(world, id, { display_name: null });
    expect(cleared.display_name).toBeNull();
    expect(await show(world, id)).toEqual(cleared);
    expect((await change(world, id, { display_name: 'Other' })).display_name).toBe('Other');
  });
});

describe('a PATCH', () => {
  it('is judged by what it comes to: pushes of a tag, whichever of the two came first', async () => {
    const pushed = await deployed({ build_on_push: true });
    const tag = { source_revision_config: { repo_ref: 'refs/tags/v1' } };
    expect(await refusedWith(change(pushed.world, pushed.id, tag))).toMatch(
      /^400 .*'build_on_push' needs a branch/,
    );
    const tagged = await deployed({}, tag);
    const push = { source_config: { build_on_push: true } };
    expect(await refusedWith(change(tagged.world, tagged.id, push))).toMatch(
      /^400 .*'build_on_push' needs a branch/,
    );
  });
});

describe('a PATCH of everything that GET shows', () => {
  it('changes nothing of the configuration', async () => {
    const { world, id } = await deployed(
      { resource_spec: { cpu: 1, labels: { team: 'a' } }, build_on_push: true, deployment_type: 'prod' },
      {
        secrets: [
          { name: 'A', value: 'one' },
          { name: 'B', value: 'two' },
        ],
        source_revision_config: { repo_ref: 'main' },
        agent: { agent_id: 'x', environment: 'y' },
        tracked_packages: ['p'],
      },
    );
    const shown = await show(world, id);
    const stored = await findDeployment(world.deps.table, world.caller.tenantId, id);
    const ran = await configuration(world, id);
    const patched = await change(world, id, shown);
    expect(patched.source_config).toEqual(shown.source_config);
    expect(patched.source_revision_config).toMatchObject({
      ...shown.source_revision_config,
      repo_commit_sha: null,
    });
    const after = await findDeployment(world.deps.table, world.caller.tenantId, id);
    const same = ['config', 'secrets', 'secret_names', 'secret_references', 'agent'] as const;
    for (const field of same) expect([field, after?.[field]]).toEqual([field, stored?.[field]]);
    expect({ ...(await configuration(world, id)), version: 1 }).toEqual(ran);
    expect((await newest(world, id))?.status).toBe('QUEUED');
  });
});

describe('what a PATCH cannot change', () => {
  const cases: [body: object, field: string][] = [
    [{ name: 'b' }, 'name'],
    [{ source: 'internal_source' }, 'source'],
    [{ source_config: { listener_id: '0190a000-0000-7000-8000-00000000dead' } }, 'source_config.listener_id'],
    [{ source_config: { listener_config: { k8s_namespace: 'x' } } }, 'source_config.listener_config'],
    [{ source_config: { deployment_type: 'prod' } }, 'source_config.deployment_type'],
    [{ agent: { agent_id: 'a', environment: 'b' } }, 'agent'],
  ];

  it.each(cases)('%j is 400 naming %s', async (body, field) => {
    const { world, id } = await deployed({ deployment_type: 'dev' });
    const before = await show(world, id);
    expect(await refusedWith(change(world, id, body))).toBe(
      `400 '${field}' cannot be changed after creation.`,
    );
    expect(await show(world, id)).toEqual(before);
  });
});

describe('the address of a deployment', () => {
  it('is the listener’s until the client gives one; sending the shown one back gives none', async () => {
    const { world, id } = await deployed();
    const shown = await show(world, id);
    expect(shown.source_config.custom_url).toBe('http://localhost:4401/d/it');
    await change(world, id, { source_config: { custom_url: shown.source_config.custom_url } });
    const stored = async () =>
      (await findDeployment(world.deps.table, world.caller.tenantId, id))?.config.custom_url;
    expect(await stored()).toBeUndefined();
    const own = await change(world, id, { source_config: { custom_url: 'https://mine.example' } });
    expect(own.source_config.custom_url).toBe('https://mine.example');
    await change(world, id, { source_config: { custom_url: 'https://mine.example' } });
    expect(await stored()).toBe('https://mine.example');
    expect((await revisions(world, id)).resources).toHaveLength(1);
  });
});

describe('a PATCH that names no source', () => {
  it('takes it from the revision before', async () => {
    const { world, id } = await deployed();
    await change(world, id, { secrets: [{ name: 'A', value: 'b' }] });
    expect(await newest(world, id)).toMatchObject({
      status: 'QUEUED',
      source_revision_config: { repo_ref: 'main', repo_commit_sha: null },
    });
  });
});
