import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { childEnvironment } from '../../lib/processes/environment.ts';
import { gitRepository, gitRepositoryIn } from '../support/files/git-repository.ts';
import { helloFiles, packageJson } from '../support/programs/hello-server.ts';
import { type ProcessFacts, stillRunning } from '../support/programs/processes.ts';
import {
  api,
  compileCache,
  create,
  deployed,
  endProgram,
  familyOf,
  helloFrom,
  newDataFolder,
  type Program,
  revisionUntil,
  type ShownDeployment,
  startProgram,
} from '../support/programs/program.ts';
import { until } from '../support/until.ts';

const SECRET = 'a-secret-of-the-deployment';
let folder: string;
let program: Program;
let deployment: ShownDeployment;

beforeAll(async () => {
  folder = await newDataFolder();
  const [dataFolder, repository] = [join(folder, 'data'), join(folder, 'repository')];
  for (const made of [dataFolder, repository]) await mkdir(made);
  // As careless as a person may have made it: what is inside must keep its secrets without it.
  await chmod(dataFolder, 0o755);
  program = await startProgram({ dataFolder });
  const { url } = await gitRepositoryIn(repository, await helloFiles());
  const secrets = [{ name: 'GREETING', value: SECRET }];
  deployment = await deployed(program, await create(program, 'hello', url, { secrets }));
});
afterAll(async () => {
  expect(await endProgram(program)).toEqual([]);
  await rm(folder, { recursive: true, force: true });
});

const answersHello = async () => (await helloFrom(deployment).catch(() => undefined))?.version === 'v1';
const count = (text: string) => program.output().split(text).length - 1;

async function find(wanted: (one: ProcessFacts) => boolean): Promise<ProcessFacts[]> {
  return (await familyOf(program)).filter(wanted);
}
const runs = (name: string) => find(({ command }) => command.includes(name));
const servers = () => find(({ cwd }) => cwd.includes(`/listener/deployments/${deployment.id}/`));

function kill(victims: ProcessFacts[]): void {
  if (victims.length === 0) throw new Error('there is nothing to kill');
  for (const { pid } of victims) process.kill(pid, 'SIGKILL');
}

describe('a second instance on the same data', () => {
  it('is refused with a message that names the first, which goes on serving', async () => {
    const { dataFolder } = program;
    const before = await familyOf(program);
    const second = spawn(process.execPath, [fileURLToPath(new URL('../../bin/local.ts', import.meta.url))], {
      env: childEnvironment({ NODE_COMPILE_CACHE: compileCache, PORT: '0', SLIPWAY_DATA_DIR: dataFolder }),
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    onTestFinished(() => void second.kill('SIGKILL'));
    let said = '';
    second.stderr.on('data', (chunk: Buffer) => {
      said += chunk.toString();
    });
    const [code]: unknown[] = await once(second, 'close');
    expect(code).toBe(1);
    const { pid } = program.process;
    expect(said.trim()).toBe(
      `Slipway is already running on ${dataFolder} (pid ${pid}). Stop it first, or choose another folder with SLIPWAY_DATA_DIR.`,
    );
    expect(await helloFrom(deployment)).toMatchObject({ version: 'v1' });
    expect(stillRunning(before)).toHaveLength(before.length);
  });
});

describe('what it keeps', () => {
  it('shows nobody else a key or a secret', async () => {
    const { dataFolder, apiKey } = program;
    expect((await stat(join(dataFolder, 'credentials.json'))).mode & 0o777).toBe(0o600);
    const listener: { api_key: string } = JSON.parse(
      await readFile(join(dataFolder, 'listener.json'), 'utf8'),
    );
    const masterKey = await readFile(join(dataFolder, 'secret.key'));
    const secrets = [Buffer.from(apiKey), Buffer.from(listener.api_key), Buffer.from(SECRET), masterKey];
    const files = await readableByOthers(dataFolder);
    expect(await holding(files, [Buffer.from(deployment.id)])).not.toEqual([]);
    expect(await holding(files, secrets)).toEqual([]);
  });
});

/** Those of the files in which one of the texts stands. */
async function holding(files: string[], texts: Buffer[]): Promise<string[]> {
  const found = files.map(async (file) => {
    // A file may go while we look.
    const content = await readFile(file).catch(() => Buffer.alloc(0));
    return texts.some((text) => content.includes(text)) ? [file] : [];
  });
  return (await Promise.all(found)).flat();
}

/** Files that another user of the machine could read, when it was only for what is below this folder. */
async function readableByOthers(below: string): Promise<string[]> {
  const entries = await readdir(below, { withFileTypes: true }).catch(() => []);
  const found = await Promise.all(
    entries.map(async (entry) => {
      const path = join(below, entry.name);
      const mode = (await stat(path).catch(() => undefined))?.mode ?? 0;
      if (entry.isDirectory()) return (mode & 0o011) === 0 ? [] : readableByOthers(path);
      return entry.isFile() && (mode & 0o044) !== 0 ? [path] : [];
    }),
  );
  return found.flat();
}

describe('kill -9 of a part alone', () => {
  it('of the listener: its servers end, and are started again once on the same URL', async () => {
    const before = [...(await runs('bin/listener.ts')), ...(await servers())];
    expect(before).toHaveLength(2);
    const servedBefore = count('listener: serving agents');
    const killedAt = performance.now();
    kill(await runs('bin/listener.ts'));
    const isReplaced = async () => stillRunning(before).length === 0 && (await answersHello());
    await until(isReplaced, { what: 'the deployment to serve again' });
    process.stdout.write(`listener killed: serves_again_ms=${Math.round(performance.now() - killedAt)}\n`);
    expect([(await runs('bin/listener.ts')).length, (await servers()).length]).toEqual([1, 1]);
    expect(count('listener: serving agents') - servedBefore).toBe(1);
    expect(await helloFrom(deployment)).toMatchObject({ greeting: SECRET });
  });

  it('of the database: a build under way goes on, and callers wait or are told to', async () => {
    const files = { 'package.json': packageJson({ build: 'until [ -e go ]; do sleep 0.05; done' }) };
    const { url } = await gitRepository(await helloFiles('v1', files));
    const made = await create(program, 'surviving', url);
    await revisionUntil(program, made.id, made.latest_revision_id, (status) => status === 'BUILDING');
    const isWaiting = async () => (await runs('until [ -e go ]'))[0]?.cwd;
    const cwd = await until(isWaiting, { what: 'the build to wait' });
    const before = await runs('dynoxide serve');
    kill(before);
    const asked = Array.from({ length: 5 }, () => api(program, 'GET', `/v2/deployments/${deployment.id}`));
    const answers = new Set((await Promise.all(asked)).map(({ status }) => status));
    expect([...answers].filter((status) => status !== 200 && status !== 503)).toEqual([]);
    const isBack = async () => (await api(program, 'GET', '/v2/deployments')).status === 200;
    await until(isBack, { what: 'the API to answer again' });
    expect(stillRunning(before)).toEqual([]);
    await writeFile(join(cwd, 'go'), '');
    await deployed(program, made);
    expect(await answersHello()).toBe(true);
  });

  it('of the wardens: they are replaced, and the new ones end everything when the program is killed', async () => {
    const before = await runs('warden-main.ts');
    expect(before).toHaveLength(2);
    kill(before);
    const isReplaced = async () => {
      const now = await runs('warden-main.ts');
      return now.length === 2 && stillRunning(before).length === 0;
    };
    await until(isReplaced, { what: 'the wardens to be replaced' });
    expect(await answersHello()).toBe(true);
    const all = await familyOf(program);
    await program.killAlone();
    const isEmpty = async () => stillRunning(all).length === 0;
    await until(isEmpty, { what: 'everything to end' });
    program = await startProgram({ dataFolder: program.dataFolder });
    await until(answersHello, { what: 'the deployment to serve again' });
  });
});
