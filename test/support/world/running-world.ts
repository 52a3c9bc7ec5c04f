import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { DynamoDBRecord } from 'aws-lambda';
import { onTestFinished } from 'vitest';
import { create as createSweep } from '../../../functions/schedules/sweep.ts';
import { create as createDispatch } from '../../../functions/streams/dispatch.ts';
import { create as createEvents } from '../../../functions/streams/events.ts';
import { create as createBuild } from '../../../functions/tasks/revision/build.ts';
import { create as createDeploy } from '../../../functions/tasks/revision/deploy.ts';
import { create as createFinish } from '../../../functions/tasks/revision/finish.ts';
import { create as createPrepare } from '../../../functions/tasks/revision/prepare.ts';
import { systemClock } from '../../../lib/adapters/clock.ts';
import type { Git } from '../../../lib/adapters/git.ts';
import { noRegistry } from '../../../lib/adapters/images.ts';
import { openOAuth } from '../../../lib/adapters/outbound/oauth/client.ts';
import { openOAuthDiscovery } from '../../../lib/adapters/outbound/oauth/discovery.ts';
import { neverWait } from '../../../lib/adapters/task-notifier.ts';
import { writtenAuditLog } from '../../../lib/app/audit-events/written.ts';
import type { Caller } from '../../../lib/app/caller.ts';
import type { Deps } from '../../../lib/app/deps.ts';
import { recordBuild } from '../../../lib/app/engine/record-build.ts';
import { unkeyed } from '../../../lib/app/idempotency.ts';
import { createListener } from '../../../lib/app/listeners/create.ts';
import type { Access } from '../../../lib/contract/access.ts';
import { type FunctionName, functionRows } from '../../../lib/contract/functions.ts';
import type { DiskBlobs } from '../../../lib/embedded/blobs.ts';
import { createEmbeddedEvents, type EmbeddedEvents } from '../../../lib/embedded/events.ts';
import { openFileKeys } from '../../../lib/embedded/keys.ts';
import { openLogStore } from '../../../lib/embedded/logs.ts';
import { type EmbeddedWorkflow, openWorkflow } from '../../../lib/embedded/workflow.ts';
import { dispatchFilters, eventFilters } from '../../../lib/store/stream-filters.ts';
import { temporaryFolder } from '../files/temporary-folder.ts';
import { freshTable } from '../table/dynoxide.ts';
import { followTable } from '../table/follow-table.ts';
import { limited } from '../table/limited-table.ts';
import { blobsIn } from './blobs.ts';
import { aCaller } from './caller.ts';
import { FakeBuilds } from './fake-builds.ts';

/** The control plane without HTTP: real table, stream, state machine, tasks, dispatch and sweep; builds, git and blobs by hand. */
export type RunningWorld = {
  deps: Deps & { workflow: EmbeddedWorkflow; builds: FakeBuilds; events: EmbeddedEvents };
  caller: Caller;
  blobs: DiskBlobs;
  listenerId: string;
  /** Moves the clock that everything reads. */
  advance(seconds: number): void;
  sweep(): Promise<{ looked: number; left: number }>;
  /** As time passes: a sweep a minute. */
  sweepFor(seconds: number): Promise<void>;
  /** As after `kill -9`: all executions and builds are gone, the table stays. */
  loseExecutions(): Promise<void>;
  /** As after SIGTERM and a new start: executions were stopped in order, builds are gone. */
  restartInOrder(): Promise<void>;
  /** Stops reading the stream: only sweep acts from now on. */
  loseStream(): Promise<void>;
  /** All records of the stream so far that the second consumer is called with. */
  records(): DynamoDBRecord[];
  git: { resolve: Git['resolve'] };
  /** What each function has done to the table. */
  used: ReadonlyMap<FunctionName, ReadonlySet<Access>>;
};

const root = new URL('../../../', import.meta.url);

export async function aRunningWorld({
  computeType = 'process',
}: {
  computeType?: 'process' | 'k8s';
} = {}): Promise<RunningWorld> {
  const folder = await temporaryFolder();
  const table = await freshTable();
  let offset = 0;
  const clock = { ...systemClock, now: () => Date.now() + offset };
  const logs = openLogStore({ path: ':memory:', now: clock.now });
  const builds = new FakeBuilds();
  const git: Git = { resolve: async () => 'c'.repeat(40) };
  const definition = await readFile(new URL('statemachines/revision.asl.json', root), 'utf8');
  const blobs = blobsIn(folder);
  const parts = {
    table,
    clock,
    keys: await openFileKeys(join(folder, 'key')),
    blobs,
    logs,
    git: { resolve: (...asked: Parameters<Git['resolve']>) => git.resolve(...asked) },
    builds,
    events: createEmbeddedEvents(),
    taskNotifier: neverWait,
    images: noRegistry,
    registry: undefined,
    oauth: openOAuth({ allowedHosts: [], loopback: true }),
    oauthDiscovery: openOAuthDiscovery({ allowedHosts: [], loopback: true }),
    idempotency: unkeyed,
    settings: {
      allowFileRepositories: true,
      registryHost: undefined,
      unclaimedSeconds: 900,
      silentSeconds: 900,
      buildSeconds: 1800,
      keptArtifacts: 5,
      auditDays: 400,
      addresses: { allowedHosts: [], loopback: true },
    },
  };
  const used = new Map<FunctionName, Set<Access>>();
  /** The dependencies of a function, which may do to the table what its row says. */
  const as = (name: FunctionName) => () => {
    const words = used.get(name) ?? new Set();
    used.set(name, words);
    return limited(deps, functionRows[name].access, words);
  };
  const open = (): EmbeddedWorkflow =>
    openWorkflow({
      definition,
      namesFile: join(folder, 'executions.db'),
      now: clock.now,
      retryMilliseconds: { Finish: 10 },
      // What a state is given is what its task takes: the text of the state machine says so.
      handlers: {
        Prepare: async (input) => createPrepare(as('prepare'))(input as never),
        Build: async (input) => createBuild(as('build'))(input as never),
        Deploy: async (input) => createDeploy(as('deploy'))(input as never),
        Finish: async (input) => createFinish(as('finish'))(input as never),
      },
    });
  const auditLog = writtenAuditLog(parts, (error) => process.stderr.write(`audit: ${String(error)}\n`));
  const deps = { ...parts, auditLog, workflow: open() };
  const reopen = async (meanwhile: () => void): Promise<void> => {
    await deps.workflow.close();
    meanwhile();
    for (const [buildId, { state }] of builds.states)
      if (state === 'waiting' || state === 'running') builds.states.set(buildId, { state: 'lost' });
    deps.workflow = open();
  };
  builds.onChange = (changed) => recordBuild(as('buildChanged')(), changed);
  const records: DynamoDBRecord[] = [];
  const consumeEvents = createEvents(as('events'));
  const stream = await followTable(table, folder, [
    { name: 'dispatch', filters: dispatchFilters, handler: createDispatch(as('dispatch')) },
    {
      name: 'events',
      filters: eventFilters,
      handler: (event) => {
        records.push(...event.Records);
        return consumeEvents(event);
      },
    },
  ]);
  const caller = aCaller({ tenantId: clock.randomId() });
  const body = { compute_type: computeType, compute_id: 'machine', compute_config: { k8s_namespaces: [] } };
  const listener = await createListener(deps, { body }, caller);
  onTestFinished(async () => {
    await stream.close();
    await deps.workflow.close();
    logs.close();
  });
  return {
    deps,
    caller,
    blobs,
    listenerId: listener.id,
    git,
    used,
    advance: (seconds) => {
      offset += seconds * 1000;
    },
    sweep: () => createSweep(as('sweep'))({}),
    sweepFor: async (seconds) => {
      for (let left = seconds; left > 0; left -= 61) {
        offset += 61_000;
        await createSweep(as('sweep'))({});
      }
    },
    loseExecutions: () => reopen(() => forgetOrderlyStops(join(folder, 'executions.db'))),
    restartInOrder: () => reopen(() => undefined),
    loseStream: () => stream.close(),
    records: () => [...records],
  };
}

/** Closing writes down that executions were stopped in order; a process that is killed writes nothing. */
function forgetOrderlyStops(namesFile: string): void {
  const names = new DatabaseSync(namesFile);
  names.exec("UPDATE executions SET ended = NULL WHERE ended = 'stopped'");
  names.close();
}
