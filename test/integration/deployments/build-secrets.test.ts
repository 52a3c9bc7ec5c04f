import { describe, expect, it } from 'vitest';
import { findDeployment } from '../../../lib/core/items/deployments.ts';
import { openBuildSecrets, openDeploymentSecrets } from '../../../lib/core/secrets.ts';
import { buildRevision } from '../../../lib/core/steps/build.ts';
import { claim, listening, offered } from '../../support/world/listening.ts';
import { ended, inProgress } from '../../support/world/processed.ts';
import {
  change,
  github,
  list,
  post,
  postRevision,
  redeploy,
  refusal,
  revisions,
  show,
  showRevision,
} from '../../support/world/requests.ts';
import { allItems, type World } from '../../support/world/world.ts';

const MASK = '**********';
const CANARY = 'canary-5d1c-of-a-build';
const token = { name: 'NPM_TOKEN', value: CANARY };
const other = { name: 'OTHER', value: 'another-value' };

const config = (more: object) => ({
  source_config: { repo_url: 'https://example.com/repo.git', ...more },
});

const ONE_SECRET = { build_secrets: [token] };

async function made(more: object = ONE_SECRET, beside: object = {}) {
  const world = await listening();
  return { world, id: (await post(world, github('a', { ...config(more), ...beside }))).id };
}

async function stored({ deps, caller }: World, deploymentId: string) {
  const deployment = await findDeployment(deps.table, caller.tenantId, deploymentId);
  const ref = { tenantId: caller.tenantId, deploymentId };
  return openBuildSecrets(deps, ref, deployment?.config.build_secrets?.version);
}

const namesIn = async (world: World, id: string) =>
  (await show(world, id)).source_config.build_secrets?.map(({ name }) => name);

const count = async (world: World, id: string) => (await revisions(world, id)).resources.length;

/** The job of the build that the oldest queued revision asks for. */
async function job(world: World, id: string) {
  const revision = await inProgress(world, id);
  const ref = { tenantId: world.caller.tenantId, deploymentId: id, revisionId: revision.id };
  await buildRevision(world.deps, { ...ref, attempt: 1, retry: 0, token: 'token' });
  const found = world.deps.builds.jobs.get(`build-${revision.id}`);
  if (found === undefined) throw new Error('no build was started');
  return found;
}

describe('a secret of builds', () => {
  it('is stored in plain nowhere and answered never', async () => {
    const { world, id } = await made();
    const old = await ended(world, id, 'DEPLOYED');
    const answers: unknown[] = [
      await change(world, id, { source_config: { build_secrets: [{ ...token, value: `${CANARY}-2` }] } }),
      await postRevision(world, id, { source_config: { build_secrets: [token, other] } }),
      await redeploy(world, id, old.id),
      await showRevision(world, id, old.id, { include: 'configuration' }),
      await refusal(
        change(world, id, { source_config: { build_secrets: [{ name: 'X', value: MASK }, token] } }),
      ),
      await refusal(
        post(world, github('a', config({ build_secrets: [{ ...token, value: `${CANARY}-3` }] }))),
      ),
      await show(world, id),
      await list(world),
    ];
    expect(JSON.stringify(answers)).not.toContain(CANARY);
    expect(JSON.stringify(answers)).toContain(`"build_secrets":[{"name":"NPM_TOKEN","value":"${MASK}"}`);
    const items = JSON.stringify(await allItems(world.deps.table));
    for (const form of [CANARY, Buffer.from(CANARY).toString('base64').slice(0, -4)])
      expect(items).not.toContain(form);
    expect(await stored(world, id)).toEqual([token, other]);
  });

  it('is given to the build, which prints it masked, and to no listener', async () => {
    const { world, id } = await made(
      { build_secrets: [token] },
      { secrets: [{ name: 'A', value: 'of-a-server' }] },
    );
    const found = await job(world, id);
    expect(found.buildSecrets).toEqual([token]);
    expect(found.maskValues).toEqual(expect.arrayContaining([CANARY, 'of-a-server']));
    await offered(world, 'b', [], config({ build_secrets: [token] }));
    const { tasks } = await claim(world);
    expect(tasks).toHaveLength(1);
    expect(JSON.stringify(tasks)).not.toMatch(/canary|NPM_TOKEN/);
  });

  it('does not open as one of servers', async () => {
    const { world, id } = await made();
    const { deps, caller } = world;
    const ref = { tenantId: caller.tenantId, deploymentId: id };
    await expect(openDeploymentSecrets(deps, ref, 1)).rejects.toThrow(/not stored/);
  });

  it('of a repeated create is compared, and another one is another create', async () => {
    const { world, id } = await made();
    expect(await post(world, github('a', config({ build_secrets: [token] })))).toMatchObject({ id });
    const changed = { ...token, value: 'another' };
    expect(await refusal(post(world, github('a', config({ build_secrets: [changed] }))))).toMatchObject({
      status: 409,
    });
  });
});

describe('the list of build secrets in a PATCH', () => {
  const patch = (more: object) => ({ source_config: more });

  it('replaces the one there is; the mask keeps a value, clear_build_secrets clears, [] and null keep', async () => {
    const { world, id } = await made({ build_secrets: [token, other] });
    for (const kept of [null, [], undefined]) {
      await change(world, id, patch({ build_secrets: kept }));
      expect(await stored(world, id)).toEqual([token, other]);
    }
    expect(await count(world, id)).toBe(1);
    await change(
      world,
      id,
      patch({
        build_secrets: [
          { name: 'NEW', value: 'n' },
          { ...token, value: MASK },
        ],
      }),
    );
    expect(await stored(world, id)).toEqual([{ name: 'NEW', value: 'n' }, token]);
    expect(await namesIn(world, id)).toEqual(['NEW', 'NPM_TOKEN']);
    expect(await count(world, id)).toBe(2);
    await change(world, id, patch({ clear_build_secrets: true, build_secrets: [] }));
    expect(await namesIn(world, id)).toBeUndefined();
    expect(await stored(world, id)).toEqual([]);
    expect(await count(world, id)).toBe(3);
    await change(world, id, patch({ clear_build_secrets: true }));
    expect(await count(world, id)).toBe(3);
  });

  it('that is the same builds again, with no new version of them', async () => {
    const { world, id } = await made();
    await change(world, id, await show(world, id));
    expect(await count(world, id)).toBe(2);
    const versions = (await allItems(world.deps.table)).filter(({ entity }) => entity === 'build_secrets');
    expect(versions).toHaveLength(1);
    expect((await job(world, id)).buildSecrets).toEqual([token]);
  });

  it.each([
    [
      'masks what is not stored',
      { build_secrets: [token, { name: 'X', value: MASK }] },
      ['build_secrets', 1, 'value'],
    ],
    ['has a name of build_env', { build_secrets: [other] }, ['build_secrets', 0, 'name']],
    [
      'has a name that build_env is to have',
      { build_env: [{ name: 'NPM_TOKEN', value: '' }] },
      ['build_env', 0, 'name'],
    ],
  ])('is 422 if it %s, and no value is in the answer', async (_, asked, place) => {
    const { world, id } = await made({ build_secrets: [token], build_env: [{ name: 'OTHER', value: 'o' }] });
    const { status, detail } = await refusal(change(world, id, patch(asked)));
    expect([status, detail]).toEqual([
      422,
      [
        {
          loc: ['body', 'source_config', ...place],
          type: 'value_error',
          msg: expect.not.stringContaining('value-'),
        },
      ],
    ]);
    expect(await count(world, id)).toBe(1);
  });

  it('may take the place of a variable in one request', async () => {
    const { world, id } = await made({ build_env: [{ name: 'NPM_TOKEN', value: 'o' }] });
    await change(world, id, patch({ build_env: [], build_secrets: [token] }));
    expect(await show(world, id)).toMatchObject({
      source_config: { build_env: null, build_secrets: [{ name: 'NPM_TOKEN', value: MASK }] },
    });
  });
});

describe('a rollback', () => {
  const newer = { ...token, value: 'rotated-value' };

  it.each([
    ['had', {}, CANARY],
    ['has today, with secrets=current', { secrets: 'current' }, newer.value],
  ])('that has to build again does so with the build secrets that it %s', async (_, query, value) => {
    const { world, id } = await made();
    const old = await ended(world, id, 'BUILD_FAILED', { commit: 'c'.repeat(40) });
    await change(world, id, { source_config: { build_secrets: [newer] } });
    await ended(world, id, 'DEPLOYED');
    await redeploy(world, id, old.id, query);
    expect((await job(world, id)).buildSecrets).toEqual([{ ...token, value }]);
    expect(await stored(world, id)).toEqual([newer]);
  });
});
