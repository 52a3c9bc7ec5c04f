import { subjectOf } from '../../contract/events.ts';
import type { Deps } from '../../core/deps.ts';
import { type FeedEvent, type FeedPage, feedAfter } from '../../core/items/feed.ts';
import { ConditionsFailed, transact, type Write } from '../../store/dynamodb/transact.ts';
import { writeAll } from '../../store/dynamodb/write.ts';
import { type Attempt, Sender } from './attempt.ts';
import { disable } from './disable.ts';
import type { Webhook, WebhookQueue } from './items.ts';
import { nextAttemptAt } from './retry.ts';
import {
  advanceCursor,
  findWebhook,
  noteQueue,
  putDelivery,
  putQueue,
  removeQueue,
  type WebhookRef,
} from './store.ts';

export type WorkerDeps = Pick<Deps, 'table' | 'clock' | 'keys' | 'webhookSender' | 'settings' | 'ownerId'>;

/** So many deployments are delivered side by side. */
const SIDE_BY_SIDE = 16;
/** As many as one transaction can begin queues for. */
const PAGE_EVENTS = 50;
/** While something is being sent, new events are looked for this often. */
const LOOK_MILLISECONDS = 1_000;
/** Then nothing more is begun: well before the function's own time is over. Sweep wakes the next worker. */
const WORK_MILLISECONDS = 240_000;
/** When a webhook is looked at should every call of its worker have been lost. */
const IDLE_LOOK_MILLISECONDS = 60 * 60_000;

/** Another worker has the lease: this one was thought dead. What it was sending is sent again. */
export class LeaseLost extends Error {}

/** Events of one deployment, token or listener on their way to a webhook, one after the other. */
type Lane = {
  subjectId: string;
  /** The number of the last event that was delivered. */
  after: number;
  failing: WebhookQueue['failing'];
  /** What is to be delivered, as far as it was read: all events up to the number `readTo`. */
  events: FeedEvent[];
  readTo: number;
  isBusy: boolean;
};

/** A lane holds so many events in memory; the rest is read when it gets there. */
const LANE_EVENTS_MAX = 100;

const laneOf = ({ subject_id: subjectId, after, failing }: WebhookQueue): Lane => ({
  subjectId,
  after,
  failing,
  events: [],
  readTo: after,
  isBusy: false,
});

/** Takes in what a page of the feed has, which ends with the number `end`, unless it has not read up to there. */
function takeIn(lane: Lane, own: FeedEvent[], { from, end }: { from: number; end: number }): void {
  if (lane.readTo !== from || lane.events.length + own.length > LANE_EVENTS_MAX) return;
  lane.events.push(...own);
  lane.readTo = end;
}

/** The number that a page of the feed ends with: everything up to there was read. */
const endOf = ({ events, count }: FeedPage, after: number): number =>
  events.at(-1)?.number ?? Math.max(after, count ?? after);

/** Whether the next event may be sent now. */
const isReady = ({ isBusy, failing }: Lane, now: number): boolean =>
  !isBusy && (failing === undefined || failing.next_at <= now);

/**
 * Delivers what a webhook has not had, in order per deployment, while it holds the lease. The feed is shared
 * out to lanes, one for each deployment with something to deliver; each is an item of the table before the
 * cursor goes on, so that nothing is forgotten. Lanes take turns, one event a turn: one whose receiver hangs
 * or refuses holds no other. What was sent is noted before the lane's next event is, so that after a crash
 * one event a lane is sent again, under the same id.
 */
export class WebhookWorker {
  readonly #deps: WorkerDeps;
  readonly #ref: WebhookRef;
  readonly #holder: string;
  readonly #sender: Sender;
  readonly #lanes = new Map<string, Lane>();
  readonly #running = new Set<Promise<void>>();
  #position: number;
  #webhook: Webhook | undefined;
  #turn: Promise<unknown> = Promise.resolve();
  #failure: Error | undefined;

  constructor(deps: WorkerDeps, ref: WebhookRef, holder: string, position: number) {
    this.#deps = deps;
    this.#ref = ref;
    this.#holder = holder;
    this.#position = position;
    this.#sender = new Sender(deps);
  }

  /**
   * Works until nothing is to be sent now. Gives when something is (epoch milliseconds), or undefined when
   * the webhook is disabled or gone. Throws what kept it from going on.
   */
  async run(queues: WebhookQueue[]): Promise<number | undefined> {
    for (const queue of queues) this.#lanes.set(queue.subject_id, laneOf(queue));
    const endsAt = this.#deps.clock.now() + WORK_MILLISECONDS;
    for (;;) {
      // What is being sent is waited for, whatever fails: nothing may go on behind who gives up.
      if (this.#failure === undefined) await this.#inTurn(() => this.#shareOut()).catch(this.#fails);
      const isOver = this.#deps.clock.now() >= endsAt;
      if (this.#webhook !== undefined && !isOver && this.#failure === undefined) this.#begin(this.#webhook);
      if (this.#running.size === 0) break;
      await Promise.race([...this.#running, this.#deps.clock.wait(LOOK_MILLISECONDS)]);
    }
    if (this.#failure !== undefined) throw this.#failure;
    if (this.#webhook === undefined) return undefined;
    const now = this.#deps.clock.now();
    const next = [...this.#lanes.values()].map(({ failing }) => failing?.next_at ?? now);
    return Math.min(now + IDLE_LOOK_MILLISECONDS, ...next);
  }

  readonly #fails = (error: unknown): void => {
    this.#failure ??= error instanceof Error ? error : new Error(String(error));
  };

  /** One write after the other: each says how far everything is. */
  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const turn = this.#turn.then(work);
    this.#turn = turn.catch(() => undefined);
    return turn;
  }

  /** Reads the webhook as it is now, and the feed to its end. */
  async #shareOut(): Promise<void> {
    const found = await findWebhook(this.#deps.table, this.#ref);
    this.#webhook = found?.disabled === undefined ? found : undefined;
    if (this.#webhook === undefined) return;
    for (;;) {
      const from = this.#position;
      const page = await feedAfter(this.#deps.table, this.#ref.tenantId, from, PAGE_EVENTS);
      const end = endOf(page, from);
      if (end === from) return;
      await this.#shareOutPage(this.#webhook, page.events, { from, end });
      if (page.count !== undefined) return;
    }
  }

  async #shareOutPage(
    webhook: Webhook,
    events: FeedEvent[],
    { from, end }: { from: number; end: number },
  ): Promise<void> {
    const own = Map.groupBy(
      events.filter((event) => isWanted(webhook, event)),
      ({ event }) => subjectOf(event),
    );
    const begun = [...own.keys()].filter((subjectId) => !this.#lanes.has(subjectId));
    await this.#write(
      begun.map((subjectId) => putQueue(this.#ref, subjectId, from)),
      end,
    );
    this.#position = end;
    for (const subject_id of begun) {
      const base = { v: 1, entity: 'webhook_queue', tenant_id: this.#ref.tenantId } as const;
      this.#lanes.set(subject_id, laneOf({ ...base, subject_id, after: from }));
    }
    for (const [subjectId, lane] of this.#lanes) takeIn(lane, own.get(subjectId) ?? [], { from, end });
  }

  /** Lanes that were served longest ago come first: whoever is served goes to the end. */
  #begin(webhook: Webhook): void {
    const now = this.#deps.clock.now();
    for (const lane of [...this.#lanes.values()]) {
      if (this.#running.size >= SIDE_BY_SIDE) return;
      if (!isReady(lane, now)) continue;
      lane.isBusy = true;
      this.#lanes.delete(lane.subjectId);
      this.#lanes.set(lane.subjectId, lane);
      const step = this.#step(webhook, lane).catch(this.#fails);
      const running = step.then(() => {
        lane.isBusy = false;
        this.#running.delete(running);
      });
      this.#running.add(running);
    }
  }

  async #step(webhook: Webhook, lane: Lane): Promise<void> {
    const next = await this.#inTurn(() => this.#nextOf(webhook, lane));
    if (next === undefined) return;
    const attempt = await this.#sender.attempt(webhook, { ...next.event, number: next.number });
    await this.#inTurn(() => this.#note(lane, next, attempt));
  }

  /** The next event of a lane; undefined: it has none, and is gone. */
  async #nextOf(webhook: Webhook, lane: Lane): Promise<FeedEvent | undefined> {
    while (lane.events.length === 0 && lane.readTo < this.#position) {
      const page = await feedAfter(this.#deps.table, this.#ref.tenantId, lane.readTo, PAGE_EVENTS);
      const read = page.events.filter(({ number }) => number <= this.#position);
      const own = read.filter(
        (event) => subjectOf(event.event) === lane.subjectId && isWanted(webhook, event),
      );
      lane.events.push(...own);
      lane.readTo = Math.min(this.#position, endOf(page, lane.readTo));
      // What has expired is passed over.
      if (page.events.length === 0) lane.readTo = this.#position;
    }
    const [next] = lane.events;
    if (next === undefined) {
      await this.#write([removeQueue(this.#ref, lane.subjectId)]);
      this.#lanes.delete(lane.subjectId);
    }
    return next;
  }

  async #note(lane: Lane, { number }: FeedEvent, { result, record }: Attempt): Promise<void> {
    const { subjectId: subject_id } = lane;
    if (result === 'delivered') {
      const isLast = lane.events.length === 1 && lane.readTo === this.#position;
      const queue = isLast
        ? removeQueue(this.#ref, subject_id)
        : noteQueue(this.#ref, { subject_id, after: number });
      await this.#write([putDelivery(record), queue]);
      lane.after = number;
      lane.failing = undefined;
      lane.events.shift();
      if (isLast) this.#lanes.delete(subject_id);
      return;
    }
    const now = this.#deps.clock.now();
    const attempts = (lane.failing?.attempts ?? 0) + 1;
    const since = lane.failing?.since ?? now;
    const nextAt = result === 'gone' ? undefined : nextAttemptAt({ attempts, since }, now, Math.random());
    if (nextAt === undefined) return this.#giveUp({ result, record }, attempts);
    const failing = { attempts, since, next_at: nextAt };
    const next_attempt_at = new Date(nextAt).toISOString();
    await this.#write([
      putDelivery({ ...record, next_attempt_at }),
      noteQueue(this.#ref, { subject_id, after: lane.after, failing }),
    ]);
    lane.failing = failing;
  }

  async #giveUp({ result, record }: Attempt, attempts: number): Promise<void> {
    const last = record.reason ?? '';
    const reason =
      result === 'gone'
        ? last
        : `Event ${record.event_id} could not be delivered for 24 hours, in ${attempts} attempts. ${last}`;
    await disable(this.#deps, this.#ref, reason, [putDelivery(record)]);
    this.#webhook = undefined;
  }

  /** With the cursor, which says that the lease is still ours. */
  async #write(writes: Write[], position = this.#position): Promise<void> {
    const { table, clock } = this.#deps;
    const cursor = advanceCursor(this.#ref, { holder: this.#holder, position, now: clock.now() });
    const made = writes.length === 0 ? writeAll(table, [cursor]) : transact(table, [cursor, ...writes]);
    await made.catch((error: unknown) => {
      throw error instanceof ConditionsFailed ? new LeaseLost(error.message) : error;
    });
  }
}

/** Whether a webhook asked for such events. */
function isWanted({ event_types, deployment_ids }: Webhook, { event }: FeedEvent): boolean {
  if (event_types !== undefined && !event_types.includes(event.type)) return false;
  if (deployment_ids === undefined) return true;
  return 'deployment_id' in event && deployment_ids.includes(event.deployment_id);
}
