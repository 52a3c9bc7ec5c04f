import { afterAll, describe, expect, it } from 'vitest';
import { askedBriefly } from '../../../lib/adapters/brief-repositories.ts';
import { SourceError } from '../../../lib/adapters/git.ts';
import { createSystemGit } from '../../../lib/embedded/git/system-git.ts';
import { createSystemRepositories } from '../../../lib/embedded/git/system-repositories.ts';
import { createIntegration } from '../../../lib/features/integrations/create.ts';
import { createIntegration as createRow } from '../../../lib/features/integrations/routes.ts';
import { listBranches } from '../../../lib/features/repositories/branches.ts';
import { lookAtRepository } from '../../../lib/features/repositories/look.ts';
import * as rows from '../../../lib/features/repositories/routes.ts';
import { getSource } from '../../../lib/features/repositories/source.ts';
import { ProcessSupervisor } from '../../../lib/processes/supervisor.ts';
import { gitRepository } from '../../support/files/git-repository.ts';
import { unitsOf } from '../../support/table/consumed.ts';
import { ended } from '../../support/world/processed.ts';
import {
  change,
  github,
  post,
  postRevision,
  refusal,
  refusedWith,
  register,
} from '../../support/world/requests.ts';
import { aWorld, type World } from '../../support/world/world.ts';

const supervisor = new ProcessSupervisor();
afterAll(() => supervisor.close());

/** A world that reads real repositories with the system's git, and one with these files. */
async function aWorldWith(files: Record<string, string>) {
  const world = await aWorld();
  const read = createSystemRepositories({
    processes: supervisor,
    git: createSystemGit(supervisor),
    timeoutSeconds: 120,
  });
  let asked = 0;
  const counted: typeof read = {
    ...read,
    history: (...question) => {
      asked += 1;
      return read.history(...question);
    },
  };
  world.deps.repositories = askedBriefly(counted, world.deps.clock.now);
  const repository = await gitRepository(files);
  const says = (message: string) =>
    repository.git('commit', '--quiet', '--allow-empty', `--message=${message}`);
  const head = () => repository.git('rev-parse', 'HEAD');
  return { world, repository, says, head, asked: () => asked };
}

const branches = ({ deps, caller }: World, query: object) =>
  listBranches(deps, { query: rows.listBranches.query.parse(query) }, caller);
const look = ({ deps, caller }: World, query: object) =>
  lookAtRepository(deps, { query: rows.lookAtRepository.query.parse(query) }, caller);
const source = ({ deps, caller }: World, id: string) =>
  getSource(deps, { params: { deployment_id: id } }, caller);

describe('the branches of a repository', () => {
  it('are listed with the default branch first, and found by a part of their names', async () => {
    const { world, repository, head } = await aWorldWith({ a: '1' });
    for (const name of ['zeta', 'fix/One', 'alpha']) repository.git('branch', name);
    const { url: repo_url } = repository;
    const listed = await branches(world, { repo_url });
    expect(listed).toMatchObject({ default_branch: 'main', more: false, problem: null });
    expect(listed.resources.map(({ name }) => name)).toEqual(['main', 'alpha', 'fix/One', 'zeta']);
    expect(listed.resources[0]?.commit).toBe(head());
    const found = await branches(world, { repo_url, name_contains: 'ONE' });
    expect(found.resources.map(({ name }) => name)).toEqual(['fix/One']);
  });

  it('are not read of an address that the installation does not allow', async () => {
    const { world } = await aWorldWith({ a: '1' });
    world.deps.settings = { ...world.deps.settings, allowFileRepositories: false };
    for (const repo_url of ['file:///etc', 'https://169.254.169.254/a']) {
      const { status, detail } = await refusal(branches(world, { repo_url }));
      expect([status, detail]).toEqual([422, [expect.objectContaining({ loc: ['query', 'repo_url'] })]]);
    }
  });
});

describe('a look at a repository', () => {
  const graphs = JSON.stringify({ graphs: { agent: './agent.py:graph' } });

  it('says of its default branch what a build would find, and which variables it names', async () => {
    const { world, repository, head } = await aWorldWith({
      'langgraph.json': graphs,
      'agent.py': 'graph = 1\n',
      '.env.example': 'OPENAI_API_KEY=sk-never-shown\n',
      'web/package.json': '{"scripts": {"start": "node a.js"}}',
    });
    const { url: repo_url } = repository;
    const looked = await look(world, { repo_url });
    expect(looked).toMatchObject({
      ...{ ref: 'main', problem: null, folders: ['web'] },
      commit: { sha: head(), message: 'change', author: 'a' },
      found: { kind: 'agent', graphs: [{ id: 'agent', path: './agent.py' }] },
      secrets_asked: [{ name: 'OPENAI_API_KEY', from: '.env.example' }],
    });
    expect(JSON.stringify(looked)).not.toContain('never-shown');
    const web = await look(world, { repo_url, ref: head(), root_directory: 'web' });
    expect(web).toMatchObject({ ref: head(), found: { kind: 'server', start: 'node a.js' } });
  });

  it('says what is in the way, with the way out', async () => {
    const { world, repository } = await aWorldWith({ 'README.md': '' });
    const { url: repo_url } = repository;
    const problemOf = async (query: object) => (await look(world, { repo_url, ...query })).problem;
    expect(await problemOf({})).toMatch(/^There is nothing to start\. Found README\.md: .*\.$/);
    expect(await problemOf({ ref: 'gone' })).toMatch(/'gone' does not exist in .*; branches there: main\.$/);
    expect(await problemOf({ root_directory: 'api' })).toBe("There is no folder 'api' in this repository.");
    expect(await problemOf({ repo_url: `${repo_url}x` })).toMatch(/cannot be read: .*choose an integration/);
    const access = createRow.body.parse({ type: 'gitea', host: 'git.example', token: 'a-token' });
    const { id: integration_id } = await createIntegration(world.deps, { body: access }, world.caller);
    expect(await problemOf({ repo_url: `${repo_url}x`, integration_id })).toMatch(
      /cannot be read: .*read without a token, for the integration is of git\.example\./,
    );
    const empty = await gitRepository();
    expect(await problemOf({ repo_url: empty.url })).toMatch(
      /has no branches yet: push a commit to it first\.$/,
    );
  });
});

describe('what a deployment could be brought to', () => {
  it('is the head of its branch, with the commits that what serves lacks', async () => {
    const { world, repository, says, head, asked } = await aWorldWith({ a: '1' });
    await register(world, 'machine');
    const source_config = { repo_url: repository.url };
    const { id, latest_revision_id: first } = await post(world, github('app', { source_config }));
    expect(await source(world, id)).toMatchObject({
      ...{ ref: 'main', branch: 'main', serving: null, relation: null, problem: null },
      head: { sha: head(), message: 'change' },
      latest: { revision_id: first, number: 1, sha: null, status: 'QUEUED' },
    });
    const served = head();
    await ended(world, id, 'DEPLOYED', { commit: served });
    says('Answer faster');
    says('Answer better\n\nWith a body.');
    const shown = await source(world, id);
    expect(shown).toMatchObject({
      ...{ relation: 'behind', more: false },
      head: { sha: head(), message: 'Answer better', author: 'a' },
      serving: { revision_id: first, number: 1, sha: served },
      ...{ commit_url: null, compare_url: null },
    });
    expect(shown.commits.map(({ message }) => message)).toEqual(['Answer better', 'Answer faster']);
    const before = asked();
    await source(world, id);
    expect(asked()).toBe(before);
    world.advance(60);
    await source(world, id);
    expect(asked()).toBe(before + 1);
    const { reads } = await unitsOf(world.deps.table.client, () => source(world, id));
    expect(reads).toBeLessThanOrEqual(4);
  });

  it('is deployed by a revision that names the branch, and not by one that names nothing', async () => {
    const { world, repository, says, head } = await aWorldWith({ a: '1' });
    await register(world, 'machine');
    world.deps.git = createSystemGit(supervisor);
    const { id } = await post(world, github('app', { source_config: { repo_url: repository.url } }));
    const served = head();
    await ended(world, id, 'DEPLOYED', { commit: served });
    says('Answer faster');
    const again = await postRevision(world, id);
    expect(again.source_revision_config.repo_commit_sha).toBeNull();
    await ended(world, id, 'DEPLOYED', { commit: served });
    const latest = await postRevision(world, id, { source_revision_config: { repo_ref: 'main' } });
    expect(latest).toMatchObject({ number: 3, status: 'QUEUED', cause: { kind: 'request' } });
    await ended(world, id, 'DEPLOYED', { commit: head() });
    expect(await source(world, id)).toMatchObject({ relation: 'same', commits: [], serving: { number: 3 } });
  });

  it('says again no token that a server has said', async () => {
    const { world } = await aWorldWith({ a: '1' });
    const access = createRow.body.parse({ type: 'gitea', host: 'git.example', token: 'a-secret-token' });
    const { id: integration_id } = await createIntegration(world.deps, { body: access }, world.caller);
    const refused = () =>
      Promise.reject(new SourceError('it has moved to https://me:a-secret-token@git.example/b'));
    world.deps.repositories = { branches: refused, history: refused, files: refused };
    const of = { repo_url: 'https://git.example/a', integration_id };
    for (const { problem } of [await branches(world, of), await look(world, of)])
      expect(problem).toBe('it has moved to https://me:***@git.example/b.');
  });

  it('is told of a tag and a commit without a branch, and why it cannot be told', async () => {
    const { world, repository, head } = await aWorldWith({ a: '1' });
    repository.git('tag', 'v1');
    await register(world, 'machine');
    const { id } = await post(world, github('app', { source_config: { repo_url: repository.url } }));
    for (const repo_ref of ['refs/tags/v1', head()]) {
      await change(world, id, { source_revision_config: { repo_ref } });
      expect(await source(world, id)).toMatchObject({ ref: repo_ref, branch: null, head: { sha: head() } });
    }
    await change(world, id, { source_revision_config: { repo_ref: 'gone' } });
    expect(await source(world, id)).toMatchObject({
      ...{ head: null, commits: [], relation: null, branch: 'gone' },
      problem: expect.stringMatching(/'gone' does not exist in .*; branches there: main\.$/),
    });
  });

  it('shows no secret of the deployment that stands in a commit', async () => {
    const { world, repository, says } = await aWorldWith({ a: '1' });
    await register(world, 'machine');
    const secrets = [{ name: 'KEY', value: 'long-and-secret' }];
    const { id } = await post(world, github('app', { source_config: { repo_url: repository.url }, secrets }));
    says('Use long-and-secret');
    const shown = await source(world, id);
    expect(shown.head?.message).toBe('Use ***');
  });

  it('is nobody else’s, and nothing without a repository', async () => {
    const { world, repository } = await aWorldWith({ a: '1' });
    await register(world, 'machine');
    const { id } = await post(world, github('app', { source_config: { repo_url: repository.url } }));
    expect(await refusedWith(source(world.as(), id))).toBe(`404 Deployment ID ${id} not found.`);
    const image = { name: 'image', source_config: {}, source_revision_config: {}, source: 'internal_source' };
    const { id: other } = await post(world, image);
    expect(await refusedWith(source(world, other))).toMatch(/^409 .* does not come from a repository/);
  });
});
