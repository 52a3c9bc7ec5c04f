import { execFile, execFileSync } from 'node:child_process';
import { existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Lockfile, placesOf } from '../../bin/install/sets.mjs';
import { newFolder, removeFolder } from '../support/files/temporary-folder.ts';
import { FreshMachine } from '../support/programs/fresh-machine.ts';
import { type Program, startProgram } from '../support/programs/program.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
let home: string;
let clone: string;
let machine: FreshMachine;
let program: Program | undefined;

beforeAll(async () => {
  home = await newFolder();
  clone = join(home, 'clone');
  mkdirSync(clone);
  // With what is not committed yet, and without anything that is ignored.
  const copy = 'git ls-files -z --cached --others --exclude-standard | tar -c --null -T - | tar -x -C "$0"';
  execFileSync('bash', ['-c', copy, clone], { cwd: root });
  machine = new FreshMachine(home);
});
afterAll(async () => {
  await program?.stop();
  await removeFolder(home);
});

/** How whoever runs this reaches npm's registry. */
const registry = ['NODE_EXTRA_CA_CERTS', 'NPM_CONFIG_REGISTRY', 'HTTPS_PROXY', 'NO_PROXY']
  .flatMap((name) => (process.env[name] === undefined ? [] : [`export ${name}='${process.env[name]}';`]))
  .concat(`export NPM_CONFIG_USERCONFIG='${join(homedir(), '.npmrc')}';`)
  .join(' ');
const setup = (line: string) => machine.sh(`${registry} cd clone; ${line}`);

/** The files of a package alone, with their sizes. */
const filesOf = (modules: string, place: string): string[] =>
  readdirSync(join(modules, place), { withFileTypes: true })
    .filter(({ name }) => name !== 'node_modules')
    .flatMap((entry) => {
      const path = join(place, entry.name);
      return entry.isDirectory()
        ? filesOf(modules, path)
        : [`${path} ${lstatSync(join(modules, path)).size}`];
    })
    .toSorted();

// Written by npm.
const lockfile = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as Lockfile;
const needed = placesOf(lockfile, ['run'], process);

/** Takes from a package that npm has brought all but its name, and gives its place. */
function tearOne(): string {
  const place = needed.find((each) => existsSync(join(clone, each, 'package.json'))) ?? 'none';
  for (const name of readdirSync(join(clone, place)))
    if (name !== 'package.json') rmSync(join(clone, place, name), { recursive: true });
  return place;
}

it('a first start that is killed is begun again, and has every file of every package in the end', async () => {
  const killed = await setup(`setsid sh bin/setup.sh run &
    until ls node_modules/@aws-sdk/*/package.json >/dev/null 2>&1 || ! kill -s 0 $!; do sleep 0.1; done
    kill -s KILL -- -$!`);
  expect(killed).toMatchObject({ exit: 0, stderr: expect.not.stringContaining('Installed in') });
  // npm was writing: files of this one are missing for certain.
  const torn = tearOne();
  expect(filesOf(clone, torn)).toHaveLength(1);
  const again = await setup('sh bin/setup.sh run');
  expect(again).toMatchObject({
    exit: 0,
    stderr: expect.stringMatching(/^Installing what Slipway needs to run/),
  });
  expect(needed.flatMap((place) => filesOf(clone, place))).toEqual(
    needed.flatMap((place) => filesOf(root, place)),
  );
});

it('brings Node where the machine’s is older, no tools, and no more than 170 MB beside Node', async () => {
  expect((await setup('node_modules/.bin/node --version')).stdout).toMatch(/^v24\./);
  expect(['vitest', '@kubernetes'].filter((name) => existsSync(join(clone, 'node_modules', name)))).toEqual(
    [],
  );
  const { stdout } = await setup("du -sk --exclude='node-*' --exclude=.cache node_modules");
  const megabytes = Number.parseInt(stdout, 10) / 1024;
  expect(megabytes).toBeLessThanOrEqual(170);
});

it('a second start installs nothing, and runs', async () => {
  const again = await setup('sh bin/setup.sh run');
  expect([again.exit, again.stdout, again.stderr]).toEqual([0, '', '']);
  const node = join(clone, 'node_modules/.bin/node');
  program = await startProgram({ command: ['sh', '-c', `cd '${clone}' && exec '${node}' bin/local.ts`] });
  // The bundler makes the console when it is first asked for.
  const page = await fetch(`${program.baseUrl}/console/`);
  const [, script = ''] = /src="([^"]+)"/.exec(await page.text()) ?? [];
  expect((await fetch(new URL(script, page.url))).status).toBe(200);
  expect((await fetch(`${program.baseUrl}/docs`)).status).toBe(200);
});

it('what tests need is installed beside it, and takes nothing away from it', async () => {
  const inodes = () => needed.map((place) => statSync(join(clone, place, 'package.json')).ino);
  const before = inodes();
  // Rejects unless it ends well.
  await promisify(execFile)('sh', ['bin/setup.sh', 'all'], { cwd: clone });
  expect(inodes()).toEqual(before);
  expect(existsSync(join(clone, 'node_modules/.bin/vitest'))).toBe(true);
  expect((await fetch(`${program?.baseUrl}/cli`)).status).toBe(200);
});
