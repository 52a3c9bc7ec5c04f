import { execFile } from 'node:child_process';
import { existsSync, readdirSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { cp, mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { gitRepositoryIn } from '../support/files/git-repository.ts';
import { helloFiles } from '../support/programs/hello-server.ts';
import {
  create,
  deployed,
  deploymentOf,
  endProgram,
  expectApi,
  helloFrom,
  newDataFolder,
  type Program,
  patch,
  revisionUntil,
  type ShownDeployment,
  startProgram,
} from '../support/programs/program.ts';
import { until } from '../support/until.ts';

const program = fileURLToPath(new URL('../../bin/slipway.ts', import.meta.url));
const run = promisify(execFile);
const slipway = (...args: string[]) => run(process.execPath, [program, ...args]);

/** How a command failed: its exit code, and what it said of it. */
const failure = (...args: string[]) =>
  slipway(...args).catch((error: unknown) => {
    const { code, stderr } = error as { code: number; stderr: string }; // as execFile fails
    return { code, stderr };
  });

describe('a backup of npm start', () => {
  let folder: string;
  let running: Program;
  let deployment: ShownDeployment;
  const inFolder = (name: string) => join(folder, name);

  beforeAll(async () => {
    folder = await newDataFolder();
    running = await startProgram({ dataFolder: inFolder('data') });
    await mkdir(inFolder('repository'));
    const repository = await gitRepositoryIn(inFolder('repository'), await helloFiles());
    deployment = await deployed(running, await create(running, 'kept', repository.url));
    await slipway('backup', '--data-dir', inFolder('data'), '--to', inFolder('backup'));
    // After the backup, so not in it.
    await expectApi(running, 'DELETE', `/v2/deployments/${deployment.id}`, undefined, 204);
    await running.stop();
  });
  afterAll(() => rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 }));

  it('is for its owner alone', () => {
    expect(statSync(inFolder('backup')).mode & 0o777).toBe(0o700);
    for (const name of ['backup.json', 'data/secret.key', 'data/table.db'])
      expect(statSync(join(inFolder('backup'), name)).mode & 0o777).toBe(0o600);
    expect(readdirSync(folder).filter((name) => name.includes('partial'))).toEqual([]);
  });

  it('is restored into an empty folder, where everything is as it was, and changes as before', async () => {
    await slipway('restore', '--from', inFolder('backup'), '--data-dir', inFolder('restored'));
    const restored = await startProgram({ dataFolder: inFolder('restored') });
    try {
      expect(restored.apiKey).toBe(running.apiKey);
      const shown = await deploymentOf(restored, deployment.id);
      await until(async () => (await helloFrom(shown).catch(() => undefined)) !== undefined, {
        what: 'the deployment to serve again',
      });
      const { latest_revision_id: next } = await patch(restored, deployment.id, {
        secrets: [{ name: 'GREETING', value: 'hi' }],
      });
      await revisionUntil(restored, deployment.id, next, (status) => status === 'DEPLOYED');
    } finally {
      expect(await endProgram(restored)).toEqual([]);
    }
  });

  it('is not restored where something is, nor where Slipway was, and changes nothing there', async () => {
    await mkdir(inFolder('taken'));
    writeFileSync(join(inFolder('taken'), 'mine'), 'mine');
    expect(await failure('restore', '--from', inFolder('backup'), '--data-dir', inFolder('taken'))).toEqual({
      code: 1,
      stderr: expect.stringContaining(`${inFolder('taken')} is not empty`),
    });
    expect(readdirSync(inFolder('taken'))).toEqual(['mine']);
  });

  it.each([
    [
      'a file is missing',
      (backup: string) => rmSync(join(backup, 'data/secret.key')),
      'secret.key is missing',
    ],
    ['a file was cut', (backup: string) => truncateSync(join(backup, 'data/table.db'), 100), 'is not what'],
    ['it was never ended', (backup: string) => rmSync(join(backup, 'backup.json')), 'has no backup.json'],
    ['its list was cut', (backup: string) => truncateSync(join(backup, 'backup.json'), 100), 'is damaged'],
  ])('is not restored when %s', async (_what, spoil, words) => {
    const spoilt = inFolder('spoilt');
    await rm(spoilt, { recursive: true, force: true });
    await cp(inFolder('backup'), spoilt, { recursive: true });
    spoil(spoilt);
    expect(await failure('restore', '--from', spoilt, '--data-dir', inFolder('none'))).toEqual({
      code: 1,
      stderr: expect.stringContaining(words),
    });
    expect(existsSync(inFolder('none'))).toBe(false);
  });

  it('is made while Slipway is stopped too, but not over another one, nor of any folder', async () => {
    const data = inFolder('data');
    const again = await slipway('backup', '--data-dir', data, '--to', inFolder('stopped'), '--json');
    expect(JSON.parse(again.stdout)).toMatchObject({ databases: '0' });
    for (const [args, words] of [
      [['--data-dir', data, '--to', inFolder('stopped')], 'is there already'],
      [['--data-dir', data, '--to', join(data, 'backup')], 'is in the data folder'],
      [['--data-dir', folder, '--to', inFolder('more')], 'is no data folder'],
    ] as const)
      expect(await failure('backup', ...args)).toEqual({ code: 1, stderr: expect.stringContaining(words) });
  });

  it('is not started on when its restore was cut off', async () => {
    await mkdir(inFolder('cut'));
    writeFileSync(join(inFolder('cut'), 'restoring'), '');
    const start = startProgram({ dataFolder: inFolder('cut') });
    await expect(start).rejects.toThrow('the restore into it was cut off');
  });
});
