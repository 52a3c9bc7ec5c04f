import { describe, expect, it } from 'vitest';
import { SourceError } from '../../../lib/adapters/git.ts';
import type { GitCredentials } from '../../../lib/adapters/git-credentials.ts';
import { createIntegration } from '../../../lib/app/integrations/create.ts';
import { deleteIntegration } from '../../../lib/app/integrations/delete.ts';
import { listIntegrations } from '../../../lib/app/integrations/list.ts';
import { listInstalledIntegrations } from '../../../lib/app/integrations/list-installed.ts';
import {
  listIntegrations as listRow,
  createIntegration as row,
} from '../../../lib/contract/routes/integrations.ts';
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
type Plane = Pick<World, 'deps' | 'caller'>;

const integrate = (plane: Plane, body: object = {}) =>
  createIntegration(
    plane.deps,
    { body: row.body.parse({ type: 'github', token: TOKEN, ...body }) },
    plane.caller,
  );
const forget = (plane: Plane, id: string) =>
  deleteIntegration(plane.deps, { params: { integration_id: id } }, plane.caller);
const list = (plane: Plane, query: Record<string, string> = {}) =>
  listIntegrations(plane.deps, { query: listRow.query.parse(query) }, plane.caller);
const installed = (plane: Plane) => listInstalledIntegrations(plane.deps, {}, plane.caller);

const named = (id: string) => ({
  source_config: { repo_url: 'https://github.com/a/b.git', integration_id: id },
});

describe('integrations', () => {
  it('are made, listed newest first, and forgotten', async () => {
    const plane = await aWorld();
    const first = await integrate(plane);
    const second = await integrate(plane, {
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
      created_by: plane.caller.userId,
    });
    expect(second).toMatchObject({
      name: 'ours',
      host: 'git.example:8443',
      has_webhook_secret: true,
      submodules: true,
    });
    expect(await list(plane)).toEqual({ resources: [second, first], offset: 2 });
    expect(await list(plane, { limit: '1', offset: '1' })).toEqual({ resources: [first], offset: 2 });
    expect(await list(plane, { offset: '5' })).toEqual({ resources: [], offset: 2 });
    expect(await installed(plane)).toEqual([
      { id: second.id, name: 'ours', host: 'git.example:8443' },
      { id: first.id, name: 'github.com', host: 'github.com' },
    ]);
    await forget(plane, first.id);
    expect((await list(plane)).resources).toEqual([second]);
    expect(await refusedWith(forget(plane, first.id))).toBe(`404 Integration ID ${first.id} not found.`);
  });

  it('keep what they were given to themselves, sealed for each alone', async () => {
    const plane = await aWorld();
    await integrate(plane, { webhook_secret: 'webhook-never-shown' });
    await integrate(plane, { webhook_secret: 'webhook-never-shown' });
    const stored = (await allItems(plane.deps.table)).filter((item) => item.entity === 'integration');
    expect(JSON.stringify([stored, await list(plane), await installed(plane)])).not.toContain('never-shown');
    const [one, other] = stored;
    expect(one?.sealed).not.toBe(other?.sealed);
  });

  it('are of one tenant', async () => {
    const plane = await aWorld();
    const { id } = await integrate(plane);
    const other = plane.as();
    expect(await list(other)).toEqual({ resources: [], offset: 0 });
    expect(await installed(other)).toEqual([]);
    expect(await refusedWith(forget(other, id))).toBe(`404 Integration ID ${id} not found.`);
    expect((await list(plane)).resources).toHaveLength(1);
  });

  it.each([
    [{ host: '10.0.0.1' }, ['body', 'host']],
    [{ host: '169.254.169.254:8080' }, ['body', 'host']],
  ])('are for hosts that may be reached: %j', async (body, loc) => {
    const plane = await aWorld();
    const { status, detail } = await refusal(integrate(plane, body));
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
    [{ type: 'gitlab' }],
  ])('refuse what is no host or no token: %j', (body) => {
    expect(row.body.safeParse({ type: 'github', token: TOKEN, ...body }).success).toBe(false);
  });

  it('may be on this machine and on hosts that the operator allows', async () => {
    const plane = await aWorld({ addresses: { allowedHosts: ['10.1.2.3'], loopback: true } });
    expect((await integrate(plane, { host: 'localhost:3000' })).host).toBe('localhost:3000');
    expect((await integrate(plane, { host: '10.1.2.3' })).host).toBe('10.1.2.3');
  });
});

describe('a deployment', () => {
  it('names an integration of its tenant, and one that is unknown reads as one that is foreign', async () => {
    const plane = await aWorld();
    await register(plane, 'machine');
    const foreign = await integrate(plane.as());
    const unknown = plane.deps.clock.randomId();
    for (const id of [foreign.id, unknown])
      expect(await refusedWith(post(plane, github('app', named(id))))).toBe(
        `404 Integration ID ${id} not found.`,
      );
    const own = await integrate(plane);
    const made = await post(plane, github('app', named(own.id)));
    expect(made.source_config).toMatchObject({ integration_id: own.id, push_source: null });
    for (const id of [foreign.id, unknown]) {
      const asked = { source_config: { integration_id: id } };
      expect(await refusedWith(change(plane, made.id, asked))).toBe(`404 Integration ID ${id} not found.`);
      expect(await refusedWith(postRevision(plane, made.id, asked))).toBe(
        `404 Integration ID ${id} not found.`,
      );
    }
    const other = await integrate(plane);
    const asked = { source_config: { integration_id: other.id, build_on_push: true } };
    expect((await change(plane, made.id, asked)).source_config).toMatchObject({
      integration_id: other.id,
      push_source: 'integration',
    });
  });

  it('stays as it is when its integration is forgotten, and may be sent back so', async () => {
    const plane = await aWorld();
    await register(plane, 'machine');
    const { id: integrationId } = await integrate(plane);
    const { id } = await post(plane, github('app', named(integrationId)));
    await forget(plane, integrationId);
    expect((await show(plane, id)).source_config.integration_id).toBe(integrationId);
    await change(plane, id, { source_config: { integration_id: integrationId, build_on_push: true } });
    const { latest_revision_id: revisionId } = await show(plane, id);
    await change(plane, id, {
      source_config: { integration_id: integrationId, repo_url: 'https://x.example/y' },
    });
    expect((await show(plane, id)).latest_revision_id).not.toBe(revisionId);
  });
});

/** What the ref was resolved with, and what the build was given. */
async function built(world: RunningWorld, body: Parameters<typeof steps.githubBody>[1]) {
  const asked: (GitCredentials | undefined)[] = [];
  world.git.resolve = async (_url, _ref, credentials) => {
    asked.push(credentials);
    return 'c'.repeat(40);
  };
  const { latest_revision_id: revisionId } = await steps.create(world, steps.githubBody('app', body));
  const job = await until(() => world.deps.builds.jobs.get(`build-${revisionId}`), {
    timeoutMs: 30_000,
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
    const { id: deploymentId, latest_revision_id: first } = await steps.create(
      world,
      steps.githubBody('app', named(id)),
    );
    await steps.deploy(world, deploymentId, first);
    await forget(world, id);
    world.git.resolve = async (_url, _ref, credentials) => {
      throw new SourceError(`it asks for credentials, and has ${credentials?.token ?? 'none'}`);
    };
    const { latest_revision_id: second } = await steps.patch(world, deploymentId, {
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
    world.git.resolve = async (_url, _ref, credentials) => {
      throw new SourceError(`the server says: ${credentials?.token} is wrong`);
    };
    const made = await steps.create(world, steps.githubBody('app', named(id)));
    const { status_message: message } = await steps.reaches(
      world,
      made.id,
      made.latest_revision_id,
      'BUILD_FAILED',
    );
    expect(message).toBe('the server says: *** is wrong');
  });
});
