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
import { type FunctionName, functionRows } from '../../../lib/contract/functions.ts';
import { recordBuild } from '../../../lib/core/engine/record-build.ts';
import { type EmbeddedWorkflow, openWorkflow } from '../../../lib/embedded/workflow/open.ts';
import { writtenAuditLog } from '../../../lib/features/audit/take-notes.ts';
import { dispatchFilters, eventFilters } from '../../../lib/store/stream-filters.ts';
import { followTable } from '../table/follow-table.ts';
import { limited } from '../table/limited-table.ts';
import type { Listening } from './listening.ts';
import { register } from './requests.ts';
import { aWorld, type World } from './world.ts';

/** A world with stream, state machine, tasks, dispatch and sweep; builds and git by hand. */
export type RunningWorld = Listening & {
  deps: { workflow: EmbeddedWorkflow };
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
};

const stateMachine = new URL('../../../statemachines/revision.asl.json', import.meta.url);

export async function aRunningWorld({
  computeType = 'process',
  settings = {},
  retryMilliseconds = {},
}: {
  computeType?: 'process' | 'k8s';
  settings?: Partial<World['deps']['settings']>;
  /** How long states wait before they try again, instead of what the state machine says. */
  retryMilliseconds?: Record<string, number>;
} = {}): Promise<RunningWorld> {
  const world = await aWorld(settings);
  const { folder } = world;
  const { table, clock, builds } = world.deps;
  const namesFile = join(folder, 'executions.db');
  const definition = await readFile(stateMachine, 'utf8');
  /** The dependencies of a function, which may do to the table what its row says. */
  const as = (name: FunctionName) => () => limited(deps, functionRows[name].access);
  const open = (): EmbeddedWorkflow =>
    openWorkflow({
      definition,
      namesFile,
      now: clock.now,
      retryMilliseconds: { Finish: 10, ...retryMilliseconds },
      // What a state is given is what its task takes: the text of the state machine says so.
      handlers: {
        Prepare: async (input) => createPrepare(as('prepare'))(input as never),
        Build: async (input) => createBuild(as('build'))(input as never),
        Deploy: async (input) => createDeploy(as('deploy'))(input as never),
        Finish: async (input) => createFinish(as('finish'))(input as never),
      },
    });
  const onError = (error: unknown) => process.stderr.write(`audit: ${String(error)}\n`);
  const auditLog = writtenAuditLog(world.deps, onError);
  const deps = Object.assign(world.deps, { auditLog, workflow: open() });
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
  const { id: listenerId } = await register(world, 'machine', { compute_type: computeType });
  onTestFinished(async () => {
    await stream.close();
    await deps.workflow.close();
  });
  return {
    ...world,
    deps,
    listenerId,
    sweep: () => createSweep(as('sweep'))({}),
    sweepFor: async (seconds) => {
      for (let left = seconds; left > 0; left -= 61) {
        world.advance(61);
        await createSweep(as('sweep'))({});
      }
    },
    loseExecutions: () => reopen(() => forgetOrderlyStops(namesFile)),
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
