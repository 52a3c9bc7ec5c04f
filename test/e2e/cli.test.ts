import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { newFolder, removeFolder } from '../support/files/temporary-folder.ts';
import { type Files, writeFiles } from '../support/files/write-files.ts';
import { expectGolden, printedBy } from '../support/programs/golden.ts';
import { helloFiles, packageJson } from '../support/programs/hello-server.ts';
import { type At, slipway } from '../support/programs/user-cli.ts';
import { programOfFile } from './shared-program.ts';

const program = programOfFile({});

/** The example without the line that it prints, which comes before or after those of who starts it. */
async function quietFiles(version?: string): Promise<Files> {
  const { 'server.js': server = '', ...files } = await helloFiles(version);
  return { ...files, 'server.js': String(server).replace(/^ *console\.log\(.*\n/m, '') };
}

let folder: string;
let project: string;
beforeAll(async () => {
  folder = await newFolder();
  project = join(folder, 'hello');
  await mkdir(project);
  await writeFiles(project, {
    ...(await quietFiles()),
    '.gitignore': 'ignored.txt\n',
    'ignored.txt': 'stays here',
    '.env': 'GREETING=from the file\n',
  });
});
afterAll(() => removeFolder(folder));

const at = (more: At = {}): At => ({
  cwd: project,
  home: folder,
  fetch,
  environment: {
    PATH: process.env.PATH,
    SLIPWAY_URL: program().baseUrl,
    SLIPWAY_API_KEY: program().apiKey,
  },
  ...more,
});
const run = (args: string[], more: At = {}) => slipway(at(more), args);
const json = async (args: string[]) => JSON.parse((await run([...args, '--json'])).stdout);

it('deploys a folder, without what git ignores and without files of secrets, and tells where it answers', async () => {
  const made = await run(['deploy']);
  expect(made).toMatchObject({ exit: 0, stdout: expect.stringMatching(/^http:\/\/\S+\/hello\/?\n$/) });
  expect(made.stderr).toMatch(
    /^hello: 3 files, \d+ KiB\nLeft out: \.env \(--env-file makes secrets of its lines\)\n/,
  );
  expect(made.stderr).toMatch(/hello: revision 2 deployed\n$/);
  expect(await (await fetch(made.stdout.trim())).json()).toMatchObject({ version: 'v1', greeting: null });
});

it('asks before it deploys to what is there already, and refuses where nobody can be asked', async () => {
  expectGolden('deploy-again', await printedBy(at({ answers: ['n'] }), ['deploy']));
  const beside = await run(['deploy', '-y']);
  expect([beside.exit, beside.stderr]).toEqual([2, expect.stringContaining('--name NAME -y')]);
});

it('shows it, on a terminal, elsewhere and as JSON', async () => {
  const readers: Record<string, string[]> = {
    list: ['list'],
    status: ['status', 'hello'],
    revisions: ['revisions', 'hello'],
    open: ['open', 'hello'],
    why: ['why', 'hello'],
    'secrets-list': ['secrets', 'list', 'hello'],
    'config-get': ['config', 'get', '-d', 'hello'],
    whoami: ['whoami'],
    'not-found': ['status', 'helo'],
    'api-refused': ['api', 'GET /v2/deployments/nothing'],
    'no-deployment': ['logs'],
    'interrupt-nothing': ['interrupt', 'hello'],
    'delete-refused': ['delete', 'hello'],
  };
  for (const [name, args] of Object.entries(readers)) expectGolden(name, await printedBy(at(), args));
});

it('links the folder, takes secrets by name, and runs with them', async () => {
  await writeFile(join(project, 'slipway.json'), JSON.stringify({ name: 'hello' }));
  expectGolden(
    'secrets-set',
    await printedBy(at({ input: 'bonjour\n' }), ['secrets', 'set', 'GREETING'], 'plain'),
  );
  const { stdout } = await run(['open']);
  expect(await (await fetch(stdout.trim())).json()).toMatchObject({ greeting: 'bonjour' });
  expect(await json(['secrets', 'list'])).toMatchObject({ secrets: ['GREETING'] });
  expectGolden('secrets-unset', await printedBy(at(), ['secrets', 'unset', 'GREETING', 'OTHER'], 'plain'));
});

it('deploys the next version and goes back, after showing the difference', async () => {
  await writeFiles(project, await quietFiles('v2'));
  expectGolden('deploy-json', await printedBy(at(), ['deploy'], 'json'));
  const greets = async () =>
    (await (await fetch((await run(['open'])).stdout.trim())).json()) as { version: string };
  expect(await greets()).toMatchObject({ version: 'v2' });
  expectGolden('rollback-refused', await printedBy(at(), ['rollback'], 'plain'));
  expectGolden('rollback', await printedBy(at({ answers: ['y'] }), ['rollback', '2'], 'terminal'));
  expect(await greets()).toMatchObject({ version: 'v1', greeting: null });
  expectGolden('diff', await printedBy(at(), ['diff', '2', '3']));
  expectGolden('restart', await printedBy(at(), ['restart', '--reason', 'to see', '--no-wait'], 'json'));
});

it('changes the configuration by names of fields', async () => {
  expectGolden('config-set', await printedBy(at(), ['config', 'set', 'display_name=Hello there'], 'plain'));
  expect(await json(['config', 'get', 'display_name'])).toEqual({ display_name: 'Hello there' });
  expect(await run(['config', 'set', 'start_comand=x'])).toMatchObject({
    exit: 2,
    stderr: expect.stringContaining("Did you mean 'start_command'?"),
  });
});

it('prints and follows logs', async () => {
  const build = await json(['logs', '--build', '--revision', '2', '--lines', '1']);
  expect(Object.keys(build)).toEqual(['id', 'timestamp', 'level', 'message']);
  const lines = (await run(['logs', '--build', '--revision', '2'])).stdout.split('\n');
  expect(lines.at(-2)).toMatch(/^\d{4}-\d\d-\d\dT[\d:.]+Z /);
  expect(lines.at(-2)).toContain(build.message);
  expectGolden('logs', await printedBy(at(), ['logs', '--build', '--revision', '2', '--grep', 'Unpacking']));
  // Of all revisions as one, unless one is named.
  const started = async (more: string[]) =>
    (await run(['logs', '--grep', 'Healthy after', ...more])).stdout.trim().split('\n').length;
  expect([await started(['--revision', '2']), (await started([])) > 1]).toEqual([1, true]);
  const ending = new AbortController();
  const followed = await run(['logs', '-f', '--since', '1d'], {
    signal: ending.signal,
    onWrite: () => ending.abort(),
  });
  expect([followed.exit, followed.stdout]).toEqual([4, expect.stringMatching(/Z /)]);
});

it('ends with 3 and the reason when a build fails, with 5 when it takes too long, and stops one', async () => {
  const broken = join(folder, 'broken');
  await mkdir(broken);
  await writeFiles(broken, {
    ...(await quietFiles()),
    'package.json': packageJson({ build: 'echo because && exit 7' }),
  });
  const failed = await run(['deploy', broken]);
  expect([failed.exit, failed.stdout]).toEqual([3, '']);
  expect(failed.stderr).toMatch(/^ {2}.*because$/m);
  expectGolden(
    'deploy-failed',
    await printedBy(at({ cwd: folder }), ['deploy', 'broken', '--name', 'broken'], 'json'),
  );
  expectGolden('why-failed', await printedBy(at(), ['why', 'broken'], 'plain'));
  await writeFiles(broken, { 'package.json': packageJson({ build: 'sleep 600' }) });
  const late = await run(['deploy', broken, '--name', 'broken', '--timeout', '3']);
  expect([late.exit, late.stderr]).toEqual([5, expect.stringContaining('It goes on: slipway status broken')]);
  const stopped = await run(['interrupt', 'broken']);
  expect([stopped.exit, stopped.stdout]).toEqual([0, expect.stringMatching(/^broken: revision 4 /)]);
});

it('sends whatever request a person types', async () => {
  const body = JSON.stringify({ display_name: 'Typed' });
  const { id } = await json(['status', 'hello']);
  expect(await json(['api', `PATCH /v2/deployments/${id}`, '-i', body])).toMatchObject({
    display_name: 'Typed',
  });
});

it('deletes by name, and the name is free again', async () => {
  expect(await run(['delete', 'broken', '-y'])).toMatchObject({ exit: 0, stdout: 'broken is deleted\n' });
  const { exit, stderr } = await run(['delete', 'hello'], { terminal: true, answers: ['helo'] });
  expect([exit, stderr]).toEqual([2, expect.stringContaining("That is not 'hello'")]);
  expect((await run(['delete', 'hello'], { terminal: true, answers: ['hello'] })).exit).toBe(0);
  expectGolden('list-empty', await printedBy(at(), ['list']));
  expect(JSON.parse(await readFile(join(project, 'slipway.json'), 'utf8'))).toEqual({ name: 'hello' });
});

it('lets a person log in with a code that is confirmed elsewhere, and ends that with logout', async () => {
  const { baseUrl, apiKey } = program();
  const opened: string[] = [];
  const ask = (path: string, body: object) =>
    fetch(`${baseUrl}${path}`, {
      method: 'POST',
      headers: { 'X-Api-Key': apiKey, 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    });
  /** Whoever sits at the console is quick, and nobody waits. */
  const confirming: typeof fetch = async (address, init) => {
    const answer = await fetch(address, init);
    if (!String(address).endsWith('/v2/device/code')) return answer;
    const begun = (await answer.json()) as { user_code: string };
    const { status } = await ask('/v2/device/confirm', { user_code: begun.user_code.toLowerCase() });
    expect(status).toBe(200);
    return Response.json({ ...begun, interval: 0 });
  };
  const person = at({
    environment: { PATH: process.env.PATH },
    fetch: confirming,
    openBrowser: async (url) => void opened.push(url),
  });
  const stranger = { ...person, environment: { ...person.environment, SLIPWAY_URL: baseUrl } };
  expectGolden('login-refused', await printedBy(stranger, ['login'], 'json'));
  expectGolden('login', await printedBy(stranger, ['login', '--as', 'local'], 'terminal'));
  expect(opened).toEqual([`${baseUrl}/console/device`]);
  const me = JSON.parse((await slipway(person, ['whoami', '--json'])).stdout);
  expect(me).toMatchObject({ role: 'developer', profile: 'local', expires_at: expect.any(String) });
  const key = /"api_key": "(\w+)"/.exec(
    await readFile(join(folder, '.config/slipway/profiles.json'), 'utf8'),
  );
  expectGolden('logout', await printedBy(person, ['logout', 'local'], 'plain'));
  const after = await fetch(`${baseUrl}/v2/me`, { headers: { 'X-Api-Key': key?.[1] ?? '' } });
  expect(after.status).toBe(401);
});
