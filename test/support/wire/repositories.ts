import { expect } from 'vitest';
import { SourceError } from '../../../lib/adapters/git.ts';
import { empty, machine, NOBODY, type open } from './wired-world.ts';

type Opened = Awaited<ReturnType<typeof open>>;

const REPOSITORY = 'https://git.example/team/app';
const TOKEN = 'never-shown';
const commit = { sha: '1'.repeat(40), message: 'Change', author: 'Ada', at: '2026-11-21T11:29:13.000Z' };

/** What is seen of repositories, before and while they are deployed. */
export async function expectRepositories({ ask, refused, world }: Opened): Promise<void> {
  const { repositories } = world.deps;
  const access = { type: 'gitea', host: 'git.example', token: TOKEN };
  const { id: integration_id } = await ask('createIntegration', { body: access });
  const query = { repo_url: REPOSITORY, integration_id };
  repositories.branches = async (url, credentials) => {
    expect([url, credentials?.token]).toEqual([REPOSITORY, TOKEN]);
    return { defaultBranch: 'main', commits: new Map([['main', commit.sha]]) };
  };
  const listed = { default_branch: 'main', resources: [{ name: 'main', commit: commit.sha }], more: false };
  expect(await ask('listBranches', { query })).toEqual({ ...listed, problem: null });
  repositories.files = async (_, { ref, pick }) => {
    const paths = ['agent.py', 'langgraph.json'];
    expect([ref, pick(paths)]).toEqual(['main', ['langgraph.json', 'agent.py']]);
    const text = JSON.stringify({ graphs: { agent: './agent.py:graph' }, env: { OPENAI_API_KEY: '' } });
    return { commit, paths, texts: new Map([['langgraph.json', Buffer.from(text)]]) };
  };
  expect(await ask('lookAtRepository', { query })).toMatchObject({
    ...{ ref: 'main', commit, problem: null },
    found: { kind: 'agent', graphs: [{ id: 'agent', path: './agent.py' }] },
    secrets_asked: [{ name: 'OPENAI_API_KEY', from: 'langgraph.json' }],
  });
  const unknown = { query: { repo_url: REPOSITORY, integration_id: NOBODY } };
  await refused('integration_not_found', { id: NOBODY }, 'listBranches', unknown);
  await refused('integration_not_found', { id: NOBODY }, 'lookAtRepository', unknown);
  await expectSource({ ask, refused, world }, integration_id);
}

async function expectSource(
  { ask, refused, world }: Pick<Opened, 'ask' | 'refused' | 'world'>,
  integration_id: string,
): Promise<void> {
  await ask('createListener', { body: machine });
  const source_config = { repo_url: REPOSITORY, integration_id };
  const body = { name: 'from-git', source_config, source_revision_config: {} };
  const { id: deployment_id } = await ask('createDeployment', { body });
  const params = { deployment_id };
  const { repositories } = world.deps;
  repositories.history = async () => ({
    ...{ head: commit, commits: [commit], more: false, relation: undefined },
  });
  expect(await ask('getSource', { params })).toMatchObject({
    ...{ branch: 'main', head: commit, commits: [commit], serving: null, relation: null, problem: null },
    commit_url: `${REPOSITORY}/commit/{sha}`,
  });
  repositories.history = () => Promise.reject(new SourceError(`Ref 'main' does not exist in ${REPOSITORY}`));
  const problem = `Ref 'main' does not exist in ${REPOSITORY}.`;
  expect(await ask('getSource', { params })).toMatchObject({ head: null, problem });
  const uploaded = await ask('createDeployment', { body: empty('uploaded') });
  const reason = `Deployment ${uploaded.id} does not come from a repository, so there is no branch to compare it with.`;
  await refused('state_forbids', { reason }, 'getSource', { params: { deployment_id: uploaded.id } });
  await refused('deployment_not_found', { id: NOBODY }, 'getSource', { params: { deployment_id: NOBODY } });
}
