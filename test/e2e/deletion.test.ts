import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { gitRepository } from '../support/files/git-repository.ts';
import { helloFiles, packageJson } from '../support/programs/hello-server.ts';
import {
  api,
  askServer,
  create,
  deployed,
  endProgram,
  expectApi,
  helloFrom,
  type Program,
  patch,
  revisionUntil,
  type ShownDeployment,
  startProgram,
} from '../support/programs/program.ts';
import { until } from '../support/until.ts';

const environment = { SLIPWAY_DRAIN_SECONDS: '1' };
let program: Program;
beforeAll(async () => {
  program = await startProgram({ environment });
});
afterAll(async () => {
  expect(await endProgram(program)).toEqual([]);
});

const path = ({ id }: Pick<ShownDeployment, 'id'>) => `/v2/deployments/${id}`;

const isGone = (at: Program, deployment: ShownDeployment) =>
  until(async () => (await api(at, 'GET', path(deployment))).status === 404, {
    what: 'the deployment to be gone',
  });

/** Paths of what the program has on disk of a deployment, its databases apart. */
async function filesOf({ dataFolder }: Program, { id }: ShownDeployment): Promise<string[]> {
  const entries = await readdir(dataFolder, { recursive: true, withFileTypes: true });
  const paths = entries
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name));
  return paths.filter((file) => file.includes(id));
}

const slowBuild = {
  'package.json': packageJson({ build: 'node wait.js' }),
  'wait.js': 'setTimeout(() => {}, 600_000);\n',
};

describe('a deployment that is deleted', () => {
  it('stops a build, stops serving, and is gone with all that was stored; its name is free', async () => {
    const repository = await gitRepository(await helloFiles());
    const first = await deployed(program, await create(program, 'deleted', repository.url));
    const other = await deployed(program, await create(program, 'kept', repository.url));
    expect((await filesOf(program, first)).length).toBeGreaterThan(0);
    await repository.commit(await helloFiles('v2', slowBuild));
    const { latest_revision_id: building } = await patch(program, first.id, {
      source_revision_config: { repo_ref: 'main' },
    });
    await revisionUntil(program, first.id, building, (status) => status === 'BUILDING');

    expect((await api(program, 'DELETE', path(first))).status).toBe(204);
    const listed = await expectApi<{ resources: ShownDeployment[] }>(
      program,
      'GET',
      '/v2/deployments',
      undefined,
      200,
    );
    expect(listed.resources.map(({ id }) => id)).toEqual([other.id]);
    await isGone(program, first);
    expect((await askServer(first)).status).toBe(404);
    expect(await filesOf(program, first)).toEqual([]);
    expect((await api(program, 'DELETE', path(first))).status).toBe(404);
    const logs = `/v1/projects/${first.id}/deploy_logs`;
    expect((await api(program, 'POST', logs, {})).status).toBe(404);

    expect(await helloFrom(other)).toMatchObject({ version: 'v1' });
    await repository.commit(await helloFiles('v3'));
    const again = await deployed(program, await create(program, 'deleted', repository.url));
    expect(again.id).not.toBe(first.id);
    expect(await helloFrom(again)).toMatchObject({ version: 'v3' });
    for (const one of [again, other]) expect((await api(program, 'DELETE', path(one))).status).toBe(204);
    for (const one of [again, other]) await isGone(program, one);
  });

  it('several at once are told one by one', async () => {
    const empty = (name: string) =>
      create(program, name, '', {
        source: 'internal_source',
        source_config: {},
        source_revision_config: {},
      });
    const made = [await empty('one'), await empty('two')];
    const ids = made.map(({ id }) => id);
    const missing = '0190a000-0000-7000-8000-00000000dead';
    const asked = await api(
      program,
      'DELETE',
      `/v2/deployments?deployment_ids=${ids[0]}&deployment_ids=${ids[1]},${missing}`,
    );
    expect([asked.status, asked.body]).toEqual([
      207,
      {
        results: [
          ...ids.map((deployment_id) => ({ deployment_id, status: 204, detail: null })),
          { deployment_id: missing, status: 404, detail: `Deployment ID ${missing} not found.` },
        ],
      },
    ]);
    for (const one of made) await isGone(program, one);
    expect(
      (await api(program, 'DELETE', `/v2/deployments?deployment_ids=${(await empty('one')).id}`)).status,
    ).toBe(200);
  });
});

describe('a deletion whose listener is away', () => {
  it('outlives a kill of the program, and ends when both are back', async () => {
    const { url } = await gitRepository(await helloFiles());
    const deployment = await deployed(program, await create(program, 'away', url));
    const listener = (await program.alive()).find(({ command }) => command.includes('bin/listener.ts'));
    if (listener === undefined) throw new Error('there is no listener');
    process.kill(listener.pid, 'SIGSTOP');
    expect((await api(program, 'DELETE', path(deployment))).status).toBe(204);
    const taken = await api(program, 'POST', '/v2/deployments', {
      name: 'away',
      source_config: { repo_url: url },
      source_revision_config: {},
    });
    expect([taken.status, JSON.stringify(taken.body)]).toEqual([
      409,
      expect.stringMatching(/waits for listener/),
    ]);
    const { dataFolder } = program;
    await program.killGroup();

    program = await startProgram({ environment, dataFolder });
    await isGone(program, deployment);
    expect((await askServer(deployment)).status).toBe(404);
    expect(await filesOf(program, deployment)).toEqual([]);
    expect(existsSync(join(dataFolder, 'listener/deployments', deployment.id))).toBe(false);
    await deployed(program, await create(program, 'away', url));
  });
});
