import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { runningTable } from '../../lib/embedded/running-database.ts';
import { allItems } from '../support/control-plane.ts';
import { gitRepository } from '../support/git-repository.ts';
import { helloFiles, packageJson } from '../support/hello-server.ts';
import {
  api,
  create,
  deployed,
  ended,
  endProgram,
  expectApi,
  familyOf,
  type Program,
  patch,
  startProgram,
} from '../support/program.ts';
import { until } from '../support/until.ts';
import type { Files } from '../support/write-files.ts';

const CANARY = 'canary-7f3a9c51d2';
const secrets = [{ name: 'CANARY', value: CANARY }];

let program: Program;
beforeAll(async () => {
  program = await startProgram({ environment: { SLIPWAY_LOG_LEVEL: 'debug', SLIPWAY_DRAIN_SECONDS: '0.2' } });
}, 120_000);
afterAll(async () => {
  expect(await endProgram(program)).toEqual([]);
}, 120_000);

/** A server that says its secret aloud, on both streams. */
async function talkative(): Promise<Files> {
  const files = await helloFiles('v1');
  const says = `console.log('I am ' + process.env.CANARY);\nconsole.error('still ' + process.env.CANARY);\n`;
  return { ...files, 'server.js': `${says}${String(files['server.js'])}` };
}

/** A server that dies of its secret. */
const dying = () =>
  helloFiles('v2', { 'server.js': "throw new Error('cannot connect with ' + process.env.CANARY);\n" });

/** A build that looks for secrets and fails. */
const failing = () => helloFiles('v3', { 'package.json': packageJson({ build: 'env; exit 3' }) });

/** The text of every file below a folder, with its path; what cannot be read as text is looked through as bytes. */
async function filesBelow(folder: string): Promise<[path: string, text: string][]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  return Promise.all(
    files.map(
      async (path): Promise<[string, string]> => [
        path,
        // A file may go while we look: what is gone holds nothing.
        await readFile(path, 'latin1').catch(() => ''),
      ],
    ),
  );
}

it('a secret that servers print, fail with and that is sent wrongly is found nowhere but with its server', async () => {
  const repository = await gitRepository(await talkative());
  const made = await create(program, 'talkative', repository.url, { secrets });
  await deployed(program, made);
  const answers: unknown[] = [made];
  const ask = async (method: string, path: string, body?: unknown) => {
    const answer = await api(program, method, path, body);
    answers.push(answer.body);
    return answer;
  };
  const path = `/v2/deployments/${made.id}`;
  const changed = () => patch(program, made.id, { source_revision_config: { repo_ref: 'main' } });
  for (const files of [dying, failing]) {
    await repository.commit(await files());
    const { latest_revision_id: id } = await changed();
    const revision = await ended(program, made.id, id);
    expect(revision.status).toMatch(/_FAILED$/);
    answers.push(revision);
    await ask('GET', `${path}/revisions/${id}/logs?type=build&limit=1000`);
    await ask('GET', `${path}/revisions/${id}/logs?type=deploy&limit=1000`);
  }
  // Requests with the secret in the wrong place, and too much of it.
  const wrong = [
    { name: 'bad name!', secrets, source_config: {}, source_revision_config: {} },
    { name: 'x', secrets: [{ name: 'A=B', value: CANARY }], source_config: {}, source_revision_config: {} },
    { name: 'x', secrets: [{ name: 'A', value: [CANARY] }], source_config: {}, source_revision_config: {} },
    { name: 'x', secrets: CANARY, source_config: {}, source_revision_config: {} },
  ];
  for (const body of wrong) expect((await ask('POST', '/v2/deployments', body)).status).toBe(422);
  expect((await ask('PATCH', path, { secrets: [...secrets, ...secrets] })).status).toBe(422);
  for (const read of [path, `${path}/revisions`, '/v2/deployments', '/v2/listeners', '/v2/audit-events']) {
    expect((await ask('GET', read)).status).toBe(200);
  }
  const logsPath = `/v1/projects/${made.id}/deploy_logs`;
  const said = async () => {
    const page = await expectApi<{ logs: { message: string }[] }>(
      program,
      'POST',
      logsPath,
      { limit: 1000 },
      200,
    );
    return page.logs.map(({ message }) => message);
  };
  await until(async () => (await said()).includes('I am ***'), {
    timeoutMs: 20_000,
    what: 'what the server says',
  });
  answers.push(await said());

  expect(JSON.stringify(answers)).toContain('***');
  expect(JSON.stringify(answers)).not.toContain(CANARY);
  expect(program.output()).not.toContain(CANARY);
  const table = await runningTable(program.dataFolder);
  if (table === undefined) throw new Error('the program does not run');
  const items = await allItems(table);
  table.client.destroy();
  expect(items.length).toBeGreaterThan(20);
  expect(JSON.stringify(items)).not.toContain(CANARY);
  expect((await familyOf(program)).filter(({ command }) => command.includes(CANARY))).toEqual([]);
  const files = await filesBelow(program.dataFolder);
  expect(files.length).toBeGreaterThan(20);
  expect(files.filter(([, text]) => text.includes(CANARY)).map(([file]) => file)).toEqual([]);
});
