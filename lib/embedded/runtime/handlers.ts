import { setTimeout } from 'node:timers/promises';
import type { BuildChanged } from '../../adapters/builds.ts';
import type { HeadPlace } from '../../adapters/head-waker.ts';
import type { Wake } from '../../adapters/webhook-waker.ts';
import { type FunctionRow, functionRows } from '../../contract/functions.ts';
import type { ListenerRef } from '../../contract/refs.ts';
import type { RouteRow } from '../../contract/routes/route.ts';
import type { Deps } from '../../core/deps.ts';
import { dispatchFilters, eventFilters } from '../../store/stream-filters.ts';
import { codeBuildEventOf } from '../../triggers/build-event.ts';
import type { ApiHandler } from '../gateway/server.ts';
import type { SocketHandler } from '../gateway/sockets.ts';
import type { Consumer } from '../stream/consumer.ts';
import type { StreamHandler } from '../stream/deliver.ts';
import type { TaskHandler } from '../workflow/open.ts';

type GetDeps = () => Deps;

const root = new URL('../../../', import.meta.url);

/**
 * Makes the handler of an entry point: every one exports `create`, which takes the dependencies. Which type
 * it returns is known by its folder, so each caller names it.
 */
async function createFrom<H>(file: string, deps: GetDeps): Promise<H> {
  const entry: unknown = await import(new URL(file, root).href);
  const isEntry = typeof entry === 'object' && entry !== null && 'create' in entry;
  if (!isEntry || typeof entry.create !== 'function') throw new Error(`${file} exports no create`);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the type of an entry point is checked where it is written
  const create = entry.create as (deps: GetDeps) => H;
  return create(deps);
}

/** The handler of a row of the route table; without a row that of `$default`. */
export const apiHandler = (row: RouteRow | undefined, deps: GetDeps): Promise<ApiHandler> =>
  createFrom(row?.handler ?? 'functions/api/fallback.ts', deps);

const task = (name: string, deps: GetDeps): Promise<TaskHandler> =>
  createFrom(`functions/tasks/revision/${name}.ts`, deps);

/** The functions behind the states of the revision's state machine. */
export async function taskHandlers(deps: GetDeps): Promise<Record<string, TaskHandler>> {
  const [Prepare, Build, Deploy, Finish] = await Promise.all(
    ['prepare', 'build', 'deploy', 'finish'].map((name) => task(name, deps)),
  );
  return Object.fromEntries(
    Object.entries({ Prepare, Build, Deploy, Finish }).filter(
      (entry): entry is [string, TaskHandler] => entry[1] !== undefined,
    ),
  );
}

/** The functions behind the stream, with the filters of their event sources. */
export async function streamConsumers(deps: GetDeps): Promise<Consumer[]> {
  const [dispatch, events] = await Promise.all([
    createFrom<StreamHandler>('functions/streams/dispatch.ts', deps),
    createFrom<StreamHandler>('functions/streams/events.ts', deps),
  ]);
  return [
    { name: 'dispatch', filters: dispatchFilters, handler: timeLimited(functionRows.dispatch, dispatch) },
    { name: 'events', filters: eventFilters, handler: timeLimited(functionRows.events, events) },
  ];
}

/** The function that delivers to webhooks, called with the event that wakes it. */
export const deliverHandler = async (deps: GetDeps): Promise<(wake: Wake) => Promise<unknown>> =>
  timeLimited(
    functionRows.deliver,
    await createFrom<(event: Wake) => Promise<unknown>>('functions/webhooks/deliver.ts', deps),
  );

/** The functions behind the sockets of listeners: what opens and forgets them, and what rings. */
export async function doorbellHandlers(
  deps: GetDeps,
): Promise<{ onSocket: SocketHandler; onRing: (listener: ListenerRef) => Promise<void> }> {
  const [onSocket, onRing] = await Promise.all([
    createFrom<SocketHandler>('functions/doorbell/socket.ts', deps),
    createFrom<(listener: ListenerRef) => Promise<void>>('functions/doorbell/ring.ts', deps),
  ]);
  return {
    onSocket: timeLimited(functionRows.socket, onSocket),
    onRing: timeLimited(functionRows.ring, onRing),
  };
}

type Scheduled = (event: { all: boolean }) => Promise<unknown>;

export const sweepHandler = async (deps: GetDeps): Promise<Scheduled> =>
  timeLimited(functionRows.sweep, await createFrom<Scheduled>('functions/schedules/sweep.ts', deps));

export const revocationsHandler = async (deps: GetDeps): Promise<Scheduled> =>
  timeLimited(
    functionRows.revocations,
    await createFrom<Scheduled>('functions/schedules/revocations.ts', deps),
  );

/** Called by its schedule, and with the head that a delivery tells of. */
export const headsHandler = async (
  deps: GetDeps,
): Promise<(event: { all: boolean } | HeadPlace) => Promise<unknown>> =>
  timeLimited(
    functionRows.heads,
    await createFrom<(event: { all: boolean } | HeadPlace) => Promise<unknown>>(
      'functions/schedules/heads.ts',
      deps,
    ),
  );

/** The function behind build events, called with the event that CodeBuild would send. */
export async function buildChangedHandler(deps: GetDeps): Promise<(changed: BuildChanged) => Promise<void>> {
  const handler = await createFrom<(event: unknown) => Promise<void>>(
    'functions/events/build-changed.ts',
    deps,
  );
  return (changed) => handler(codeBuildEventOf(changed));
}

/**
 * A function that ends when its time is over, as on Lambda: a call that hangs ends with an error and keeps
 * nothing waiting. Here it cannot be killed, so what it does may go on behind it.
 */
export const timeLimited =
  <I, O>(
    { name, timeoutSeconds }: Pick<FunctionRow, 'name' | 'timeoutSeconds'>,
    call: (input: I) => Promise<O>,
  ): ((input: I) => Promise<O>) =>
  (input) => {
    const late = setTimeout(timeoutSeconds * 1000, undefined, { ref: false }).then(() => {
      throw new Error(`${name} took longer than ${timeoutSeconds} s`);
    });
    return Promise.race([call(input), late]);
  };
