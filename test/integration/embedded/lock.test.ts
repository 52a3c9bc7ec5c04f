import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { lockDataFolder } from '../../../lib/embedded/data-folder/lock.ts';
import { readRunRecord } from '../../../lib/embedded/data-folder/run-record.ts';
import { DataFolderUnusable } from '../../../lib/processes/data-folder.ts';
import { childEnvironment } from '../../../lib/processes/environment.ts';
import { ProcessSupervisor } from '../../../lib/processes/supervisor.ts';
import { startTimeOf } from '../../../lib/processes/table/read.ts';
import { temporaryFolder } from '../../support/files/temporary-folder.ts';

const lib = new URL('../../../lib/', import.meta.url);

/** Holds the lock in a process of its own, with two children. */
const holder = `
  import { lockDataFolder } from '${new URL('embedded/data-folder/lock.ts', lib).href}';
  import { ProcessSupervisor } from '${new URL('processes/supervisor.ts', lib).href}';
  import { childEnvironment } from '${new URL('processes/environment.ts', lib).href}';
  const supervisor = new ProcessSupervisor();
  const lock = await lockDataFolder(process.argv[1], supervisor.id);
  const processes = lock.processes(supervisor);
  const command = { command: 'sleep', args: ['600'], cwd: '/', environment: childEnvironment(), onLine: () => {} };
  const pids = [processes.start(command).pid, processes.start(command).pid];
  console.log(JSON.stringify({ pids, warden: supervisor.wardenPid }));
  setInterval(() => {}, 1000);
`;

type Holder = { child: ChildProcess; pids: number[]; warden: number };

async function startHolder(folder: string): Promise<Holder> {
  const child = spawn(process.execPath, ['--input-type=module', '-e', holder, folder], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => {
    child.kill('SIGKILL');
  });
  const [line] = await once(child.stdout, 'data');
  return { child, ...JSON.parse(String(line)) };
}

async function kill(child: ChildProcess): Promise<void> {
  const exited = once(child, 'exit');
  child.kill('SIGKILL');
  await exited;
}

function newSupervisor(): ProcessSupervisor {
  const supervisor = new ProcessSupervisor();
  onTestFinished(() => supervisor.close());
  return supervisor;
}

describe('the lock of the data folder', () => {
  it('refuses a second instance, naming the first and the folder', async () => {
    const folder = await temporaryFolder();
    const { child } = await startHolder(folder);
    const attempt = lockDataFolder(folder, newSupervisor().id);
    await expect(attempt).rejects.toThrow(
      `Slipway is already running on ${folder} (pid ${child.pid}). Stop it first, or choose another folder`,
    );
  });

  it('of several that come at once is given to one', async () => {
    const folder = await temporaryFolder();
    const attempts = await Promise.allSettled(
      Array.from({ length: 5 }, () => lockDataFolder(folder, newSupervisor().id)),
    );
    const taken = attempts.filter((attempt) => attempt.status === 'fulfilled');
    expect(taken).toHaveLength(1);
    for (const { value } of taken) value.release();
    (await lockDataFolder(folder, newSupervisor().id)).release();
  });

  it('of a process that was killed is free, and what that one left alive is ended first', async () => {
    const folder = await temporaryFolder();
    const { child, pids, warden } = await startHolder(folder);
    // Without its warden, everything stays alive.
    process.kill(warden, 'SIGSTOP');
    onTestFinished(() => {
      process.kill(warden, 'SIGCONT');
    });
    await kill(child);
    expect(pids.map(startTimeOf)).not.toContain(undefined);
    const lock = await lockDataFolder(folder, newSupervisor().id);
    expect(pids.map(startTimeOf)).toEqual([undefined, undefined]);
    lock.release();
  });

  it('spares a stranger who got the pid of a process of the earlier run', async () => {
    const folder = await temporaryFolder();
    const stranger = spawn('sleep', ['600'], { detached: true, stdio: 'ignore' });
    onTestFinished(() => {
      stranger.kill('SIGKILL');
    });
    const group = { what: 'sleep', pid: stranger.pid, startTime: 'earlier', marker: 'none-of-this' };
    const record = {
      pid: stranger.pid,
      start_time: 'earlier',
      supervisor_id: 'none-of-this',
      groups: [group],
    };
    await writeFile(join(folder, 'run.json'), JSON.stringify(record));
    (await lockDataFolder(folder, newSupervisor().id)).release();
    expect(startTimeOf(stranger.pid ?? 0)).toBeDefined();
  });

  it('is taken though the record of the earlier run is broken', async () => {
    const folder = await temporaryFolder();
    await writeFile(join(folder, 'run.json'), '{"pid": 1');
    const lock = await lockDataFolder(folder, newSupervisor().id);
    expect(readRunRecord(join(folder, 'run.json'))).toMatchObject({ pid: process.pid, groups: [] });
    lock.release();
  });
});

it('keeps what is running on disk, readable by its owner only', async () => {
  const folder = await temporaryFolder();
  const supervisor = newSupervisor();
  const lock = await lockDataFolder(folder, supervisor.id);
  const processes = lock.processes(supervisor);
  const environment = childEnvironment();
  const group = processes.start({ command: 'sleep', args: ['600'], cwd: '/', environment, onLine: () => {} });
  const read = () => readRunRecord(join(folder, 'run.json'));
  expect(read()).toMatchObject({
    pid: process.pid,
    supervisor_id: supervisor.id,
    groups: [{ what: 'sleep', pid: group.pid }],
  });
  expect((await stat(join(folder, 'run.json'))).mode & 0o777).toBe(0o600);
  await processes.stop(group, 0);
  expect(startTimeOf(group.pid ?? 0)).toBeUndefined();
  expect(read()).toMatchObject({ groups: [] });
  lock.release();
});

it('a folder that cannot be made or written is named in one sentence, with the way out', async () => {
  const folder = await temporaryFolder();
  await writeFile(join(folder, 'file'), '');
  const refusal = (dataFolder: string) =>
    lockDataFolder(dataFolder, 'x').then(
      () => '',
      (error: unknown) => (error instanceof DataFolderUnusable ? error.message : String(error)),
    );
  const wayOut = 'Choose another folder with SLIPWAY_DATA_DIR.';
  for (const path of ['file', 'file/below'])
    expect(await refusal(join(folder, path))).toBe(
      `The data folder ${join(folder, path)} cannot be used: it, or what it is in, is a file. ${wayOut}`,
    );
  expect(await refusal('/proc/slipway')).toBe(
    `The data folder /proc/slipway cannot be used: it does not exist and cannot be made there. ${wayOut}`,
  );
  await mkdir(join(folder, 'run', 'run.lock'), { recursive: true });
  expect(await refusal(join(folder, 'run'))).toBe(
    `The data folder ${join(folder, 'run')} cannot be used: run.lock in it cannot be opened for writing. ${wayOut}`,
  );
});
