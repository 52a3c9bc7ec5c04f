import type { ListenerRef } from '../../contract/refs.ts';
import type { Due } from '../../store/due.ts';
import { collected } from '../../store/dynamodb/collected.ts';
import { ConditionsFailed } from '../../store/dynamodb/transact.ts';
import { write, writeAll } from '../../store/dynamodb/write.ts';
import type { Table } from '../../store/table.ts';
import type { Deps } from '../deps.ts';
import { publishRemoved, resendEvents } from '../events/publish.ts';
import { type DueWork, duePartitions, dueWork, putOff } from '../items/due-work.ts';
import { socketsOf } from '../items/listener-sockets.ts';
import { findSeen, forgetNext, type LastSeen } from '../items/listeners.ts';
import { findPresence, notePresence } from '../items/presence.ts';
import { releaseShard, takeShard } from '../items/sweep-leases.ts';
import { isOnline, ONLINE_MILLISECONDS, onlineUntil, type Sighting } from '../online.ts';
import { within } from '../within.ts';
import type { EngineDeps } from './load.ts';
import { lookAtEnded } from './look-at-ended.ts';
import { reconcile } from './reconcile.ts';
import { rollUpMetrics } from './roll-up-metrics.ts';

export type SweepDeps = EngineDeps & Pick<Deps, 'events' | 'ownerId' | 'webhookWaker'>;

/** How many deployments are looked at side by side: the calls wait on AWS, not on us. */
const SIDE_BY_SIDE = 10;
/**
 * Then no further look is begun: the next sweep, a minute after this one, goes on with what is overdue
 * longest.
 */
const SWEEP_MILLISECONDS = 45_000;
/** What removes a deployment takes longest: seconds of work. A look that takes longer hangs. */
const LOOK_MILLISECONDS = 60_000;
/** A look that began in time has so long to end before another sweep may take its shard. */
const LEASE_MILLISECONDS = 60_000;

export type Swept = {
  /** Deployments that were looked at, those that failed included. */
  looked: number;
  /** Those that were due and must wait for the next sweep. */
  left: number;
};

/**
 * Everything was looked at that could be, and for some deployments that failed: each has been said to
 * `onError`.
 */
export class SweepIncomplete extends Error {
  constructor(failed: number, looked: number) {
    super(`${failed} of ${looked} deployments could not be looked at, each is in the log with its reason`);
    this.name = 'SweepIncomplete';
  }
}

/**
 * Finds what nothing else will wake, in the sparse index of what is due, and brings each deployment forward,
 * what is overdue longest first, asking the workflow and the builds how things really are; events that could
 * not be published are published. A shard that another sweep works on is left to it. `all` also takes what is
 * due later (after a restart nothing that was running runs). Throws SweepIncomplete at the end when a
 * deployment failed, so that whoever watches hears of it.
 */
export async function sweep(
  deps: SweepDeps,
  { all }: { all: boolean },
  onError: (error: unknown, deploymentId: string) => void,
): Promise<Swept> {
  const startedAt = deps.clock.now();
  const holder = deps.ownerId ?? deps.clock.randomId();
  const taken: string[] = [];
  const due = new Map<string, DueDeployment>();
  for (const partition of duePartitions) {
    const until = all ? Number.MAX_SAFE_INTEGER : startedAt;
    const items = await collected(dueWork(deps.table, partition, until));
    const lease = { holder, now: startedAt, until: startedAt + LEASE_MILLISECONDS };
    if (items.length === 0 || !(await takeShard(deps.table, partition, lease))) continue;
    taken.push(partition);
    for (const item of items) due.set(nameOf(item), withWork(due.get(nameOf(item)), item));
  }
  const queue = [...due.values()].sort((a, b) => a.dueAt - b.dueAt);
  const look = (next: DueDeployment) => lookOf(deps, next, { isStart: all });
  const result = await lookAt(deps, queue, startedAt + SWEEP_MILLISECONDS, look, onError);
  for (const partition of taken) await releaseShard(deps.table, partition, holder);
  if (result.failed > 0) throw new SweepIncomplete(result.failed, result.looked);
  return { looked: result.looked, left: queue.length };
}

/** A deployment, its events or metrics, a webhook or a listener, with the numbers of its revisions that are due. */
type DueDeployment = Omit<DueWork, 'revision' | 'item'> & { revisions: number[]; items: Due[] };

function withWork(known: DueDeployment | undefined, { revision, item, ...work }: DueWork): DueDeployment {
  const items = [...(known?.items ?? []), item];
  const revisions = [...(known?.revisions ?? []), ...(revision === undefined ? [] : [revision])];
  return { ...work, dueAt: Math.min(work.dueAt, known?.dueAt ?? work.dueAt), revisions, items };
}

const nameOf = ({ of, owner, delivery = '' }: DueWork): string =>
  `${of} ${owner.tenantId} ${owner.deploymentId} ${delivery}`;

/**
 * Takes deployments from the queue until it is empty or the time is over. A look that fails is put off: it
 * was overdue longest, and the next sweep must not begin, and end, with the same that hang.
 */
async function lookAt(
  deps: SweepDeps,
  queue: DueDeployment[],
  endsAt: number,
  look: (next: DueDeployment) => Promise<void>,
  onError: (error: unknown, deploymentId: string) => void,
): Promise<{ looked: number; failed: number }> {
  const result = { looked: 0, failed: 0 };
  const worker = async (): Promise<void> => {
    while (deps.clock.now() < endsAt) {
      const next = queue.shift();
      if (next === undefined) return;
      result.looked += 1;
      const ends = within(deps.clock, LOOK_MILLISECONDS, 'a look at a deployment', look(next));
      await ends.catch((error: unknown) => {
        result.failed += 1;
        onError(error, next.owner.deploymentId);
        return tryLater(deps, next);
      });
    }
  };
  await Promise.all(Array.from({ length: SIDE_BY_SIDE }, worker));
  return result;
}

async function tryLater({ table, clock }: SweepDeps, { items }: DueDeployment): Promise<void> {
  // Somebody else may have been quicker, and a table that fails now is why the look did.
  for (const item of items) await write(table, putOff(item, clock.now())).catch(() => undefined);
}

async function lookOf(
  deps: SweepDeps,
  { of, owner, revisions, items, delivery }: DueDeployment,
  { isStart }: { isStart: boolean },
): Promise<void> {
  if (of === 'webhook') return wakeWebhook(deps, owner, delivery, items);
  if (of === 'listener')
    return lookAtPresence(deps, { tenantId: owner.tenantId, listenerId: owner.deploymentId }).catch(
      unlessLost,
    );
  if (of === 'events') return resendEvents(deps, owner);
  if (of === 'metrics') return rollUpMetrics(deps, owner).catch(unlessLost);
  // While the stream works, dispatch removes deployments, and the events of their revisions come from the
  // stream's records.
  const beforePurge = (latest: number) => publishRemoved(deps, owner, latest);
  const inSlot = await reconcile(deps, owner, { asking: true, isStart, beforePurge });
  for (const number of revisions)
    if (number !== inSlot) await lookAtEnded(deps, owner, number).catch(unlessLost);
}

/** Its worker says itself when it is due again; until then it is put off. */
async function wakeWebhook(
  { table, clock, webhookWaker }: SweepDeps,
  { tenantId, deploymentId: webhookId }: DueDeployment['owner'],
  delivery: string | undefined,
  items: Due[],
): Promise<void> {
  await webhookWaker.wake({ tenantId, webhookId, ...(delivery !== undefined && { deliveryId: delivery }) });
  for (const item of items) await write(table, putOff(item, clock.now())).catch(unlessLost);
}

/** Removed with its deployment, or looked at by another, since it was read. */
function unlessLost(error: unknown): void {
  if (!(error instanceof ConditionsFailed)) throw error;
}

/**
 * While a listener is online it is looked at this often: a listener that died is told offline by then. One
 * that is offline says itself when it is back.
 */
const PRESENCE_LOOK_MILLISECONDS = 300_000;

/**
 * Notes whether a listener is online, where that has changed; the stream makes the event. Demands that it has
 * not called after a silence meanwhile: then the next sweep looks.
 */
async function lookAtPresence(
  { table, clock }: Pick<Deps, 'table' | 'clock'>,
  owner: ListenerRef,
): Promise<void> {
  const presence = await findPresence(table, owner);
  if (presence === undefined) return;
  const now = clock.now();
  const seen = await findSeen(table, owner.tenantId, owner.listenerId);
  const lost = seen !== undefined && (await hasLostItsSocket(table, owner, seen, now));
  const online = isOnline(lost ? { at: seen.at } : seen, now);
  await writeAll(table, [
    notePresence(presence, { online, now, lookAt: online ? nextLook(seen, { lost, now }) : undefined }),
    ...(lost ? [forgetNext(owner, seen)] : []),
  ]);
}

/**
 * It was told to ask again in minutes, for a socket rings for it, and that has closed without another one.
 * One that is alive noticed that, and asks within seconds.
 */
const hasLostItsSocket = async (
  table: Table,
  owner: ListenerRef,
  { next_seconds }: LastSeen,
  now: number,
): Promise<boolean> => next_seconds !== undefined && (await socketsOf(table, owner, now)).length === 0;

const nextLook = (seen: Sighting | undefined, { lost, now }: { lost: boolean; now: number }): number => {
  if (seen === undefined) return now + PRESENCE_LOOK_MILLISECONDS;
  if (lost) return seen.at + ONLINE_MILLISECONDS;
  return Math.max(now + PRESENCE_LOOK_MILLISECONDS, onlineUntil(seen));
};
