import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it, onTestFinished } from 'vitest';
import { gitRepositoryIn } from '../support/files/git-repository.ts';
import { temporaryFolder } from '../support/files/temporary-folder.ts';
import { serveGit } from '../support/programs/git-server.ts';
import { helloFiles } from '../support/programs/hello-server.ts';
import {
  create,
  deployed,
  deploymentOf,
  discard,
  expectApi,
  helloFrom,
  type Program,
  type ShownRevision,
  startProgram,
} from '../support/programs/program.ts';
import { until } from '../support/until.ts';
import { fromGitHub, pushPayload, SECRET } from '../support/world/git-host.ts';
import { programOfFile } from './shared-program.ts';

type Pushed = ShownRevision & {
  cause: { kind: string };
  commit: { message: string; author: string } | null;
  source_revision_config: { repo_commit_sha: string | null };
};

const revisionsOf = async (program: Program, id: string): Promise<Pushed[]> => {
  const path = `/v2/deployments/${id}/revisions?limit=100`;
  return (await expectApi<{ resources: Pushed[] }>(program, 'GET', path, undefined, 200)).resources;
};

/**
 * A repository on a real git server, a clone of it to push from, and a deployment of it. After each push the
 * server tells the program, as its webhook would, unless `isSilent`.
 */
async function aScene(program: Program, name: string, { isSilent = false } = {}) {
  const folder = await temporaryFolder();
  const bare = join(folder, 'app.git');
  const clone = await temporaryFolder();
  const { git, commit } = await gitRepositoryIn(clone, await helloFiles('v1'));
  git('clone', '--quiet', '--bare', '.', bare);
  const address = pathToFileURL(bare).href;
  const { id: integrationId } = await expectApi<{ id: string }>(
    program,
    'POST',
    '/v2/integrations',
    { type: 'github', host: 'localhost:1', token: 'of-nothing', webhook_secret: SECRET },
    201,
  );
  const told: Promise<Response>[] = [];
  const tell = (): void => {
    if (isSilent) return;
    const body = JSON.stringify(pushPayload({ address }));
    const url = `${program.baseUrl}/v1/integrations/github/${integrationId}/webhook`;
    const headers = { 'content-type': 'application/json', ...fromGitHub(body, crypto.randomUUID()) };
    told.push(fetch(url, { method: 'POST', headers, body }));
  };
  const server = await serveGit(folder, tell);
  git('remote', 'add', 'origin', `${server.url}/app.git`);
  const source_config = { repo_url: address, build_on_push: true, integration_id: integrationId };
  const { id } = await deployed(program, await create(program, name, address, { source_config }));
  return {
    id,
    /** Commits the files of this version and pushes them. Gives the commit. */
    push: async (version: string) => {
      await commit(await helloFiles(version));
      // The server is in this very process, which must not wait for git.
      await promisify(execFile)('git', ['-C', clone, 'push', '--quiet', 'origin', 'main']);
      return git('rev-parse', 'HEAD');
    },
    /** What the deliveries so far were answered. */
    answers: async () => (await Promise.all(told)).map(({ status }) => status),
  };
}

/** Waits until this version serves. */
const serves = (program: Program, id: string, version: string) =>
  until(async () => (await helloFrom(await deploymentOf(program, id))).version === version, {
    what: `version ${version} to serve`,
  });

describe('a push to a git server', () => {
  const program = programOfFile({ SLIPWAY_DRAIN_SECONDS: '0.2', SLIPWAY_LOOK_SECONDS: '240' });

  it('is deployed, and says what was pushed', async () => {
    const { id, push, answers } = await aScene(program(), 'pushed');
    const head = await push('v2');
    await serves(program(), id, 'v2');
    const isDeployed = async () => (await revisionsOf(program(), id))[0]?.status === 'DEPLOYED';
    await until(isDeployed, { what: 'the push to be deployed' });
    const [newest, first, ...rest] = await revisionsOf(program(), id);
    expect(newest).toMatchObject({
      status: 'DEPLOYED',
      cause: { kind: 'push' },
      source_revision_config: { repo_commit_sha: head },
      // The delivery did not tell of this commit: git did.
      commit: { message: 'change', author: 'a' },
    });
    expect(first?.cause.kind).toBe('request');
    expect(rest).toEqual([]);
    expect(await answers()).toEqual([200]);
  });
});

describe('a push that no delivery tells of', () => {
  it('is found by a look at the heads, and deployed', async () => {
    const program = await startProgram({
      environment: { SLIPWAY_HEADS_SECONDS: '1', SLIPWAY_LOOK_SECONDS: '240' },
    });
    onTestFinished(() => discard(program));
    const { id, push } = await aScene(program, 'missed', { isSilent: true });
    const head = await push('v2');
    await serves(program, id, 'v2');
    const [newest, ...before] = await revisionsOf(program, id);
    expect(newest).toMatchObject({
      cause: { kind: 'head' },
      source_revision_config: { repo_commit_sha: head },
      commit: { message: 'change', author: 'a' },
    });
    expect(before).toHaveLength(1);
  });
});
