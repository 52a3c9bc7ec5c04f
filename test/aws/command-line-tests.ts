import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import * as tar from 'tar';
import { beforeAll, expect, it } from 'vitest';
import { childEnvironment } from '../../lib/processes/environment.ts';
import { writeFiles } from '../support/files/write-files.ts';
import { helloFiles } from '../support/programs/hello-server.ts';
import type { Ran } from '../support/programs/user-cli.ts';
import { until } from '../support/until.ts';
import type { StartedBuild } from './builds.ts';
import { finishAsFolder } from './play-builds.ts';
import type { Tour } from './tour.ts';

const NAME = 'by-hand';

type Finished = { name: string; revision: number; status: string; url: string };

/** What a person or a CI job does with the command line, by names alone and without a terminal. */
export function commandLineTests(at: () => Tour): void {
  let home: string;
  let project: string;
  let program: string;
  beforeAll(async () => {
    home = join(at().ground.folder, 'person');
    project = join(home, NAME);
    program = join(home, 'package/slipway.mjs');
    await mkdir(project, { recursive: true });
    await writeFiles(project, await helloFiles('v1'));
  });

  const slipway = async (args: string[], input = ''): Promise<Ran> => {
    const running = spawn(process.execPath, [program, ...args], {
      cwd: project,
      env: { ...childEnvironment({ HOME: home, XDG_CONFIG_HOME: join(home, 'settings') }), CI: 'true' },
    });
    running.stdin.end(input);
    const printed = [text(running.stdout), text(running.stderr), once(running, 'close')] as const;
    const [stdout, stderr, [exit]] = await Promise.all(printed);
    return { exit: Number(exit), stdout, stderr };
  };
  /** What a command that succeeds prints. */
  const json = async <T>(args: string[], input?: string): Promise<T> => {
    const { exit, stdout, stderr } = await slipway([...args, '--json'], input);
    if (exit !== 0) throw new Error(`slipway ${args.join(' ')} ended with ${exit}: ${stdout}${stderr}`);
    return JSON.parse(stdout) as T; // docs/cli.md says what each command prints
  };
  const finish = (build: StartedBuild) => finishAsFolder(at().ground, at().slipway.builds, build);
  /** Ends whatever is built until the command is done. */
  const whileBuilding = async <T>(command: Promise<T>): Promise<T> => {
    let isDone = false;
    const over = () => {
      isDone = true;
    };
    command.then(over, over);
    const playing = async () => {
      const build = await at().slipway.builds.next();
      if (build !== undefined) await finish(build);
      return isDone;
    };
    await until(playing, { what: 'the command to be done' });
    return command;
  };
  const greets = async (url: string): Promise<unknown> => (await fetch(url)).json();

  it('comes from the installation itself, as one file or as a package for npm', async () => {
    const { baseUrl } = at().slipway;
    const get = async (path: string) => Buffer.from(await (await fetch(baseUrl + path)).arrayBuffer());
    const [, address = ''] = /(\/cli\/slipway-[\w-]+\.tgz)/.exec((await get('/cli')).toString()) ?? [];
    const file = join(home, 'slipway.tgz');
    await writeFile(file, await get(address));
    await tar.extract({ file, cwd: home });
    expect(await get('/cli/slipway.mjs')).toEqual(await readFile(program));
    expect(await slipway(['help'])).toMatchObject({ exit: 0, stderr: '' });
  });

  it('takes a key from stdin, for what follows', async () => {
    const { baseUrl, apiKey, tenantId } = at().slipway;
    const login = ['login', baseUrl, '--as', 'tour', '--key-stdin'];
    const made = { profile: 'tour', url: baseUrl, tenant_id: tenantId };
    expect(await json(login, `${apiKey}\n`)).toMatchObject(made);
    expect(await json(['whoami'])).toMatchObject({ tenant_id: tenantId });
  });

  it('deploys a folder, shows what is built of it, and says where it answers', async () => {
    const { builds } = at().slipway;
    const building = async () => {
      const build = await builds.take();
      await builds.print(build, ['installing by hand']);
      await finish(build);
    };
    const [{ exit, stdout, stderr }] = await Promise.all([slipway(['deploy', '--json']), building()]);
    expect([exit, stderr]).toEqual([0, expect.stringContaining('  installing by hand\n')]);
    const deployed = JSON.parse(stdout) as Finished;
    expect(deployed).toMatchObject({ name: NAME, revision: 2, status: 'DEPLOYED' });
    expect(await greets(deployed.url)).toMatchObject({ version: 'v1', greeting: null });
  });

  it('follows the log of a build to its end, and reads that of the server', async () => {
    const followed = await slipway(['logs', NAME, '--build', '-f', '--json']);
    expect(followed.exit).toBe(0);
    expect(followed.stdout.trim().split('\n').map(messageOf)).toEqual(['installing by hand']);
    const printed = async () => (await slipway(['logs', NAME])).stdout.includes('hello-server v1 listens');
    await until(printed, { what: 'what the server printed' });
  });

  it('waits for the lines of a build that come after its end, and tells why it failed', async () => {
    const { builds } = at().slipway;
    await writeFiles(project, await helloFiles('v2'));
    const building = async () => {
      const build = await builds.take();
      await builds.succeed(build, { FAILURE_REASON: 'The wheel is missing.' });
      const status = async () => (await json<{ status: string }[]>(['revisions', NAME]))[0]?.status;
      await until(async () => (await status()) === 'BUILD_FAILED', { what: 'the build to have failed' });
      await builds.print(build, ['ERROR: no wheel for by-hand']);
    };
    const [failed] = await Promise.all([slipway(['deploy', '--name', NAME, '-y', '--json']), building()]);
    expect([failed.exit, failed.stderr]).toEqual([3, expect.stringContaining('  no wheel for by-hand\n')]);
    expect(JSON.parse(failed.stdout)).toMatchObject({ status: 'BUILD_FAILED', exit: 3 });
  });

  it('sets a secret from stdin, and goes back to the revision before', async () => {
    const set = json<Finished>(['secrets', 'set', 'GREETING', '-d', NAME], 'bonjour\n');
    expect(await greets((await whileBuilding(set)).url)).toMatchObject({ greeting: 'bonjour' });
    const back = await whileBuilding(json<Finished>(['rollback', '2', '-d', NAME, '-y']));
    expect(back).toMatchObject({ status: 'DEPLOYED' });
    expect(await greets(back.url)).toMatchObject({ version: 'v1', greeting: null });
  });

  it('deletes by name, and waits until nothing is left', async () => {
    expect(await json(['delete', NAME, '-y'])).toMatchObject({ name: NAME, deleted: true });
    expect(await slipway(['status', NAME])).toMatchObject({ exit: 1, stdout: '' });
    expect(await json(['logout'])).toEqual({ profile: 'tour', key_left: 'slipway login did not get it.' });
  });
}

const messageOf = (line: string): string => (JSON.parse(line) as { message: string }).message; // an entry
