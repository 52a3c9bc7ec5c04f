import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { afterEach, describe, expect, it } from 'vitest';
import { storeOf } from '../../../lib/agent-runtime/queue/agent-queue.ts';
import type { Lease, Outcome, Server } from '../../../lib/agent-runtime/queue/queue-store.ts';
import { connectionTo } from '../../../lib/agent-runtime/tables/database.ts';
import { RefusedError } from '../../../lib/agent-runtime/tables/errors.ts';
import { releaseThreads } from '../../../lib/agent-runtime/tables/release.ts';
import { cancelRun, createRun } from '../../../lib/agent-runtime/tables/runs.ts';
import { noteState } from '../../../lib/agent-runtime/tables/threads.ts';
import { ModelTables } from '../../simulation/agents/model.ts';
import { Random } from '../../simulation/random.ts';
import { modelledRows, storedRows } from './compared-rows.ts';
import { leaseOf, useTables } from './world.ts';

const tables = useTables();

const SEEDS = 40;
const STEPS = 60;
/**
 * What time passes is far from what delays and leases take, so that nothing is due or over within seconds of
 * when it is asked: the machine may be slow.
 */
const DELAY_SECONDS = 17.5;
const PASSING_SECONDS = 7;
const CLOSE_MILLISECONDS = 3_000;

afterEach(async () => {
  await tables.database.query('delete from rt.threads');
});

/** The same operations on the model that the simulation runs on, and on PostgreSQL. */
class Pair {
  readonly #random: Random;
  readonly #model: ModelTables;
  readonly #session: pg.Client;
  readonly #threads = Array.from({ length: 3 }, () => randomUUID());
  readonly #servers: Server[];
  /** All that were ever given, so that most are stale. */
  readonly #leases: Lease[] = [];
  #now = 0;

  constructor(random: Random, session: pg.Client) {
    this.#random = random;
    this.#session = session;
    this.#model = new ModelTables(() => this.#now);
    const builds = [randomUUID(), randomUUID()];
    this.#servers = Array.from({ length: 4 }, (_, n) => {
      const buildId = builds[n % 2] ?? '';
      return { owner: randomUUID(), buildId, revisionId: `revision of ${buildId}` };
    });
  }

  async begin(): Promise<void> {
    for (const server of this.#servers) {
      await tables.database.query(
        `insert into rt.servers (owner, build_id, revision_id, holds_lock) values ($1, $2, $3, true)`,
        [server.owner, server.buildId, server.revisionId],
      );
      this.#model.servers.set(server.owner, { holdsLock: true });
      await this.#lock(server);
    }
  }

  /** Gives what both have answered; throws where they differ. */
  async step(): Promise<string> {
    this.#now += 1;
    const [name, run] = this.#random.pick([
      ['create', () => this.#create()],
      ['create', () => this.#create()],
      ['claim', () => this.#claim()],
      ['claim', () => this.#claim()],
      ['beat', () => this.#beat()],
      ['put back', () => this.#handBack()],
      ['finish', () => this.#finish()],
      ['finish', () => this.#finish()],
      ['remove', () => this.#remove()],
      ['cancel', () => this.#cancel()],
      ['release', () => this.#release()],
      ['state', () => this.#state()],
      ['step', () => this.#noteStep()],
      ['fence', () => this.#fence()],
      ['events', () => this.#append()],
      ['take over', () => this.#takeOver()],
      ['lock', () => this.#toggle()],
      ['time', () => this.#pass()],
    ] as const);
    const [theirs, ours] = await run();
    expect({ name, answer: theirs }).toEqual({ name, answer: ours });
    expect(await storedRows(tables.database), `after ${name}`).toEqual(modelledRows(this.#model));
    return name;
  }

  get #server(): Server {
    return this.#random.pick(this.#servers as [Server, ...Server[]]); // there are four
  }

  get #lease(): Lease {
    const unknown = { runId: randomUUID(), threadId: randomUUID(), owner: randomUUID(), epoch: 1 };
    // The newest most often: it is the one that may still be held.
    const newest = this.#leases.slice(-3);
    return this.#random.pick(this.#random.chance(0.7) ? newest : this.#leases) ?? unknown;
  }

  async #create() {
    const [server, threadId] = [this.#server, this.#random.pick(this.#threads) ?? ''];
    const kwargs = '{"input":1}';
    const multitaskStrategy = this.#random.pick([
      'enqueue',
      'enqueue',
      'reject',
      'interrupt',
      'rollback',
    ] as const);
    const afterSeconds = this.#random.chance(0.2) ? DELAY_SECONDS : 0;
    const given = {
      threadId,
      createsThread: true,
      assistantId: randomUUID(),
      graphId: 'agent',
      metadata: '{}',
    };
    const row = await createRun(tables.database, server, {
      ...given,
      kwargs,
      multitaskStrategy,
      afterSeconds,
    }).catch((error: unknown) => {
      if (error instanceof RefusedError) return undefined;
      throw error;
    });
    const runId = row?.run_id ?? 'refused';
    const afterMilliseconds = afterSeconds * 1_000;
    const run = this.#model.createRun(server, {
      runId,
      threadId,
      kwargs,
      multitaskStrategy,
      afterMilliseconds,
    });
    return [row?.build_id, run?.buildId];
  }

  async #claim() {
    const [server, count] = [this.#server, this.#random.whole(1, 3)];
    const theirs = await storeOf(tables.database).claim(server, count);
    this.#leases.push(...theirs.map(leaseOf));
    const shown = (runs: typeof theirs) =>
      runs.map(({ runId, epoch, attempt, cancel, failures, threadNext }) => ({
        runId,
        epoch,
        attempt,
        cancel,
        failures,
        threadNext,
      }));
    return [shown(theirs), shown(this.#model.claim(server, count))];
  }

  async #beat() {
    const server = this.#server;
    const inHand = this.#leases.filter(({ owner }) => owner === server.owner && this.#random.chance(0.8));
    const byRun = (a: { runId: string }, b: { runId: string }) => (a.runId < b.runId ? -1 : 1);
    const theirs = await storeOf(tables.database).beat(server, inHand);
    return [theirs.sort(byRun), this.#model.beat(server, inHand).sort(byRun)];
  }

  async #handBack() {
    const [lease, failure] = [this.#lease, this.#random.chance(0.5) ? 'it has died' : undefined];
    return [await storeOf(tables.database).handBack(lease, failure), this.#model.handBack(lease, failure)];
  }

  async #finish() {
    const lease = this.#lease;
    const status = this.#random.pick(['success', 'success', 'error', 'timeout', 'interrupted'] as const);
    const next = this.#random.chance(0.5) ? ['ask'] : [];
    const outcome: Outcome = {
      status,
      ...(this.#random.chance(0.8) && { snapshot: { values: '{"n":1}', next, interrupts: '{}' } }),
      ...(status === 'success' ? { output: '1' } : { error: '{"error":"E","message":"m"}' }),
    };
    return [await storeOf(tables.database).finish(lease, outcome), this.#model.finish(lease, outcome)];
  }

  async #remove() {
    const lease = this.#lease;
    return [await storeOf(tables.database).remove(lease), this.#model.remove(lease)];
  }

  async #cancel() {
    const { runId, threadId } = this.#random.pick([...this.#model.runs.values()]) ?? this.#lease;
    const action = this.#random.pick(['interrupt', 'rollback'] as const);
    const theirs = await cancelRun(tables.database, { runId, threadId }, action).then(
      () => true,
      (error: unknown) => !(error instanceof RefusedError),
    );
    return [theirs, this.#model.cancelRun(runId, action)];
  }

  async #release() {
    const server = this.#server;
    const builds = this.#random.chance(0.5) ? undefined : [this.#server.buildId];
    const of = { ...(builds !== undefined && { builds }) };
    return [await releaseThreads(tables.database, server, of), this.#model.releaseThreads(server, builds)];
  }

  async #state() {
    const thread = this.#random.pick([...this.#model.threads.keys()]);
    const snapshot = { values: '{"n":2}', next: this.#random.chance(0.5) ? ['ask'] : [], interrupts: '{}' };
    if (thread === undefined) return [true, true];
    await noteState(tables.database, { threadId: thread, graphId: 'agent' }, snapshot);
    this.#model.noteState(thread, snapshot);
    return [true, true];
  }

  async #noteStep() {
    const lease = this.#lease;
    return [await storeOf(tables.database).noteStep(lease), this.#model.noteStep(lease)];
  }

  async #fence() {
    const { runId, owner, epoch } = this.#lease;
    const rows = await tables.database.query('select rt.holds_lease($1, $2, $3) as holds', [
      runId,
      owner,
      epoch,
    ]);
    return [rows, [{ holds: this.#model.holdsLease(runId, owner, epoch) }]];
  }

  async #append() {
    const [lease, seq] = [this.#lease, this.#random.whole(1, 20)];
    const events = [{ seq, event: 'values', data: '{}' }];
    return [await storeOf(tables.database).append(lease, events), this.#model.append(lease, events)];
  }

  /** Not while it would be a matter of milliseconds whether Postgres was there at the last beat. */
  async #takeOver() {
    const server = this.#server;
    const [row] = await tables.database.query<{ age: number }>(
      'select 1000 * extract(epoch from clock_timestamp() - pg_postmaster_start_time())::float8 as age',
    );
    const startedAt = this.#now - (row?.age ?? 0);
    const running = [...this.#model.runs.values()].filter(({ leaseUntil }) => leaseUntil !== null);
    const isClose = ({ leaseUntil }: { leaseUntil: number | null }) =>
      Math.abs((leaseUntil ?? 0) - 10_000 - startedAt) < CLOSE_MILLISECONDS;
    if (running.some(isClose)) return [0, 0];
    this.#model.postgresStartedAt = startedAt;
    return [await storeOf(tables.database).takeOver(server), this.#model.takeOver(server)];
  }

  async #toggle() {
    const server = this.#server;
    if (!this.#model.locks.has(server.owner)) await this.#lock(server);
    else {
      await this.#session.query('select pg_advisory_unlock(hashtextextended($1, 0))', [server.owner]);
      this.#model.locks.delete(server.owner);
    }
    return [true, true];
  }

  async #lock({ owner }: Server): Promise<void> {
    await this.#session.query('select pg_advisory_lock(hashtextextended($1, 0))', [owner]);
    this.#model.locks.add(owner);
  }

  async #pass() {
    await tables.database.query(
      `update rt.runs set not_before = not_before - p, lease_until = lease_until - p
      from (select interval '${PASSING_SECONDS} seconds' as p) as passing`,
    );
    this.#now += PASSING_SECONDS * 1_000;
    return [true, true];
  }
}

describe('the model of the tables that the simulation runs on', () => {
  it.each(Array.from({ length: SEEDS }, (_, n) => n + 1))(
    'does what PostgreSQL does, seed %i',
    async (seed) => {
      const session = new pg.Client(connectionTo(tables.database.uri));
      await session.connect();
      try {
        const pair = new Pair(new Random(seed), session);
        await pair.begin();
        const done: string[] = [];
        for (let step = 0; step < STEPS; step++) done.push(await pair.step());
        expect(done).toHaveLength(STEPS);
      } finally {
        await session.end();
      }
    },
  );
});
