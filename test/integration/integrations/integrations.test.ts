import { describe, expect, it } from 'vitest';
import { SourceError } from '../../../lib/adapters/git.ts';
import type { GitCredentials } from '../../../lib/adapters/git-credentials.ts';
import { createIntegration } from '../../../lib/features/integrations/create.ts';
import { deleteIntegration } from '../../../lib/features/integrations/delete.ts';
import { listIntegrations } from '../../../lib/features/integrations/list.ts';
import { listInstalledIntegrations } from '../../../lib/features/integrations/list-installed.ts';
import {
  listIntegrations as listRow,
  createIntegration as row,
} from '../../../lib/features/integrations/routes.ts';
import { until } from '../../support/until.ts';
import {
  change,
  github,
  post,
  postRevision,
  refusal,
  refusedWith,
  register,
  show,
} from '../../support/world/requests.ts';
import { aRunningWorld, type RunningWorld } from '../../support/world/running-world.ts';
import * as steps from '../../support/world/steps.ts';
import { allItems, aWorld, type World } from '../../support/world/world.ts';

const TOKEN = 'github_pat_never-shown';
type Asking = Pick<World, 'deps' | 'caller'>;

const integrate = (world: Asking, body: object = {}) =>
  createIntegration(
    world.deps,
    { body: row.body.parse({ type: 'github', token: TOKEN, ...body }) },
    world.caller,
  );
const forget = (world: Asking, id: string) =>
  deleteIntegration(world.deps, { params: { integration_id: id } }, world.caller);
const list = (world: Asking, query: Record<string, string> = {}) =>
  listIntegrations(world.deps, { query: listRow.query.parse(query) }, world.caller);
const installed = (world: Asking) => listInstalledIntegrations(world.deps, {}, world.caller);

const named = (id: string) => ({
  source_config: { repo_url: 'https://github.com/a/b.git', integration_id: id },
});

describe('integrations', () => {
  it('are made, listed newest first, and forgotten', async () => {
    const world = await aWorld();
    const first = await integrate(world);
    const second = await integrate(world, {
      host: 'Git.Example:8443',
      name: 'ours',
      webhook_secret: 'w',
      submodules: true,
    });
    expect(first).toEqual({
      id: expect.any(String),
      type: 'github',
      name: 'github.com',
      host: 'github.com',
      has_webhook_secret: false,
      submodules: false,
      created_at: expect.any(String),
      created_by: world.caller.userId,
    });
    expect(second).toMatchObject({
      name: 'ours',
      host: 'git.example:8443',
      has_webhook_secret: true,
      submodules: true,
    });
    expect(await list(world)).toEqual({ resources: [second, first], offset: 2 });
    expect(await list(world, { limit: '1', offset: '1' })).toEqual({ resources: [first], offset: 2 });
    expect(await list(world, { offset: '5' })).toEqual({ resources: [], offset: 2 });
    expect(await installed(world)).toEqual([
      { id: second.id, installation_id: second.id, name: 'ours', host: 'git.example:8443' },
      { id: first.id, installation_id: first.id, name: 'github.com', host: 'github.com' },
    ]);
    await forget(world, first.id);
    expect((await list(world)).resources).toEqual([second]);
    expect(await refusedWith(forget(world, first.id))).toBe(`404 Integration ID ${first.id} not found.`);
  });

  it('keep what they were given to themselves, sealed for each alone', async () => {
    const world = await aWorld();
    await integrate(world, { webhook_secret: 'webhook-never-shown' });
    await integrate(world, { webhook_secret: 'webhook-never-shown' });
    const stored = (await allItems(world.deps.table)).filter((item) => item.entity === 'integration');
    expect(JSON.stringify([stored, await list(world), await installed(world)])).not.toContain('never-shown');
    const [one, other] = stored;
    expect(one?.sealed).not.toBe(other?.sealed);
  });

  it('are of one tenant', async () => {
    const world = await aWorld();
    const { id } = await integrate(world);
    const other = world.as();
    expect(await list(other)).toEqual({ resources: [], offset: 0 });
    expect(await installed(other)).toEqual([]);
    expect(await refusedWith(forget(other, id))).toBe(`404 Integration ID ${id} not found.`);
    expect((await list(world)).resources).toHaveLength(1);
  });

  it.each([
    [{ host: '10.0.0.1' }, ['body', 'host']],
    [{ host: '169.254.169.254:8080' }, ['body', 'host']],
  ])('are for hosts that may be reached: %j', async (body, loc) => {
    const world = await aWorld();
    const { status, detail } = await refusal(integrate(world, body));
    expect(status).toBe(422);
    expect(detail).toEqual([
      expect.objectContaining({
        loc,
        type: 'value_error',
        msg: expect.stringContaining('no public address'),
      }),
    ]);
  });

  it.each([
    [{ host: 'https://github.com' }],
    [{ host: 'github.com/team' }],
    [{ host: 'git.example.1' }],
    [{ host: 'git.example:65536' }],
    [{ host: 'user@github.com' }],
    [{ host: '-github.com' }],
    [{ token: '' }],
    [{ token: 'a b' }],
    [{ token: 'a\nX-Other: b' }],
    [{ webhook_secret: 'a\r\nb' }],
    [{ type: 'gitea' }],
    [{ type: 'svn' }],
  ])('refuse what is no host or no token: %j', (body) => {
    expect(row.body.safeParse({ type: 'github', token: TOKEN, ...body }).success).toBe(false);
  });

  it('may be on this machine and on hosts that the operator allows', async () => {
    const world = await aWorld({ addresses: { allowedHosts: ['10.1.2.3'], loopback: true } });
    expect((await integrate(world, { host: 'localhost:3000' })).host).toBe('localhost:3000');
    expect((await integrate(world, { host: '10.1.2.3' })).host).toBe('10.1.2.3');
  });
});

describe('a deployment', () => {
  it('names an integration of its tenant, and one that is unknown reads as one that is foreign', async () => {
    const world = await aWorld();
    await register(world, 'machine');
    const foreign = await integrate(world.as());
    const unknown = world.deps.clock.randomId();
    for (const id of [foreign.id, unknown])
      expect(await refusedWith(post(world, github('app', named(id))))).toBe(
        `404 Integration ID ${id} not found.`,
      );
    const own = await integrate(world);
    const made = await post(world, github('app', named(own.id)));
    expect(made.source_config).toMatchObject({ integration_id: own.id, push_source: null });
    for (const id of [foreign.id, unknown]) {
      const asked = { source_config: { integration_id: id } };
      expect(await refusedWith(change(world, made.id, asked))).toBe(`404 Integration ID ${id} not found.`);
      expect(await refusedWith(postRevision(world, made.id, asked))).toBe(
        `404 Integration ID ${id} not found.`,
      );
    }
    const other = await integrate(world);
    const asked = { source_config: { integration_id: other.id, build_on_push: true } };
    expect((await change(world, made.id, asked)).source_config).toMatchObject({
      integration_id: other.id,
      push_source: 'integration',
    });
  });

  it('stays as it is when its integration is forgotten, and may be sent back so', async () => {
    const world = await aWorld();
    await register(world, 'machine');
    const { id: integrationId } = await integrate(world);
    const { id } = await post(world, github('app', named(integrationId)));
    await forget(world, integrationId);
    expect((await show(world, id)).source_config.integration_id).toBe(integrationId);
    await change(world, id, { source_config: { integration_id: integrationId, build_on_push: true } });
    const { latest_revision_id: revisionId } = await show(world, id);
    await change(world, id, {
      source_config: { integration_id: integrationId, repo_url: 'https://x.example/y' },
    });
    expect((await show(world, id)).latest_revision_id).not.toBe(revisionId);
  });
});

/** What the ref was resolved with, and what the build was given. */
async function built(world: RunningWorld, body: object) {
  const asked: (GitCredentials | undefined)[] = [];
  world.deps.git.resolve = async (_url, _ref, credentials) => {
    asked.push(credentials);
    return 'c'.repeat(40);
  };
  const { latest_revision_id: revisionId } = await post(world, github('app', body));
  const job = await until(() => world.deps.builds.jobs.get(`build-${revisionId}`), {
    what: 'the build',
  });
  return { asked, job };
}

describe('the token', () => {
  it('reads refs and is given to the build, which never prints it', async () => {
    const world = await aRunningWorld();
    const { id } = await integrate(world);
    const { asked, job } = await built(world, named(id));
    const credentials = { host: 'github.com', token: TOKEN, submodules: false };
    expect(asked).toEqual([credentials]);
    expect(job.source).toMatchObject({ credentials });
    expect(job.maskValues).toContain(TOKEN);
  });

  it('is for submodules too where the integration says so', async () => {
    const world = await aRunningWorld();
    const { id } = await integrate(world, { submodules: true });
    const { job } = await built(world, named(id));
    expect(job.source).toMatchObject({ credentials: { submodules: true } });
  });

  it('is not there for a deployment without an integration', async () => {
    const world = await aRunningWorld();
    const { asked, job } = await built(world, {});
    expect(asked).toEqual([undefined]);
    expect(JSON.stringify(job)).not.toContain('credentials');
    expect(job.maskValues).toEqual([]);
  });

  it('is gone at once when the integration is forgotten; the revision says why its repository cannot be read', async () => {
    const world = await aRunningWorld();
    const { id } = await integrate(world);
    const { id: deploymentId, latest_revision_id: first } = await post(world, github('app', named(id)));
    await steps.deploy(world, deploymentId, first);
    await forget(world, id);
    world.deps.git.resolve = async (_url, _ref, credentials) => {
      throw new SourceError(`it asks for credentials, and has ${credentials?.token ?? 'none'}`);
    };
    const { latest_revision_id: second } = await change(world, deploymentId, {
      source_revision_config: { repo_ref: 'next' },
    });
    const { status_message: message } = await steps.reaches(world, deploymentId, second, 'BUILD_FAILED');
    expect(message).toBe(
      `it asks for credentials, and has none (its integration ${id} was deleted, so no token was sent)`,
    );
  });

  it('is masked in what a git server says', async () => {
    const world = await aRunningWorld();
    const { id } = await integrate(world);
    world.deps.git.resolve = async (_url, _ref, credentials) => {
      throw new SourceError(`the server says: ${credentials?.token} is wrong`);
    };
    const made = await post(world, github('app', named(id)));
    const { status_message: message } = await steps.reaches(
      world,
      made.id,
      made.latest_revision_id,
      'BUILD_FAILED',
    );
    expect(message).toBe('the server says: *** is wrong');
  });
});
