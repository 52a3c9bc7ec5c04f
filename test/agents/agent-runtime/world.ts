import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll } from 'vitest';
import type { RunEnd } from '../../../lib/agent-runtime/queue/port.ts';
import type { Lease, Server } from '../../../lib/agent-runtime/queue/queue-store.ts';
import type { ClaimedRun } from '../../../lib/agent-runtime/queue/rules.ts';
import { migrate } from '../../../lib/agent-runtime/schema/migrate.ts';
import { Database } from '../../../lib/agent-runtime/tables/database.ts';
import type { RunRow } from '../../../lib/agent-runtime/tables/rows.ts';
import { createRun, type NewRun } from '../../../lib/agent-runtime/tables/runs.ts';
import { ProcessSupervisor } from '../../../lib/processes/supervisor.ts';
import { startTestPostgres, type TestPostgres } from '../../support/programs/postgres.ts';

const NEW_RUN: NewRun = {
  assistantId: '6ba7b821-9dad-11d1-80b4-00c04fd430c8',
  graphId: 'agent',
  multitaskStrategy: 'enqueue',
  kwargs: '{"input":{"n":1}}',
  metadata: '{}',
};

/** A PostgreSQL for a test file, with the tables of a deployment. */
export function useTables(): { readonly database: Database; readonly postgres: TestPostgres } {
  let postgres: TestPostgres | undefined;
  let database: Database | undefined;
  beforeAll(async () => {
    postgres = await startTestPostgres(new ProcessSupervisor());
    database = new Database(await postgres.freshDatabase());
    await migrate(database);
  });
  afterAll(async () => {
    await database?.close();
    await postgres?.stop();
  });
  const ready = <T>(given: T | undefined): T => {
    if (given === undefined) throw new Error('PostgreSQL has not been started yet');
    return given;
  };
  return {
    get database() {
      return ready(database);
    },
    get postgres() {
      return ready(postgres);
    },
  };
}

/** A server of a build of its own, so that tests do not take each other's runs. */
export const newServer = (buildId: string = randomUUID()): Server => ({
  owner: randomUUID(),
  buildId,
  revisionId: `revision of ${buildId}`,
});

export const newRun = (database: Database, server: Server, run: Partial<NewRun> = {}): Promise<RunRow> =>
  createRun(database, server, { ...NEW_RUN, createsThread: true, ...run });

export const leaseOf = ({ runId, threadId, owner, epoch }: ClaimedRun): Lease => ({
  runId,
  threadId,
  owner,
  epoch,
});

/** A failure of the graph. */
export const failed: RunEnd = { kind: 'failed', error: '{"error":"ValueError","message":"no"}' };
