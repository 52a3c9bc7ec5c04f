import { describe, expect, it } from 'vitest';
import { openQueue, storeOf } from '../../../lib/agent-runtime/queue/agent-queue.ts';
import { callBuild } from '../../../lib/agent-runtime/queue/calls.ts';
import { EventHub, EventLog } from '../../../lib/agent-runtime/queue/event-log.ts';
import { Execution } from '../../../lib/agent-runtime/queue/execution.ts';
import { type RunEnd, WorkerFailure } from '../../../lib/agent-runtime/queue/port.ts';
import { Queue } from '../../../lib/agent-runtime/queue/queue.ts';
import type { QueueStore } from '../../../lib/agent-runtime/queue/queue-store.ts';
import { isAway } from '../../../lib/agent-runtime/tables/database.ts';
import { findRun } from '../../../lib/agent-runtime/tables/runs.ts';
import { until } from '../../support/until.ts';
import { PretendedWorker } from './pretended-worker.ts';
import { newRun, newServer, useTables } from './world.ts';

const tables = useTables();

/** Takes nothing of the test's time. */
const time = {
  now: () => performance.now(),
  after: (milliseconds: number, run: () => void) => {
    const timer = setTimeout(run, milliseconds);
    return () => clearTimeout(timer);
  },
};

describe('a connection to PostgreSQL', () => {
  it('that breaks in a transaction fails that alone', async () => {
    const { database } = tables;
    const broken = database.transaction(async (query) => {
      const [session] = await query<{ pid: number }>('select pg_backend_pid() as pid');
      await database.query('select pg_terminate_backend($1)', [session?.pid]);
      const alive = 'select 1 from pg_stat_activity where pid = $1';
      await until(async () => (await database.query(alive, [session?.pid])).length === 0, {
        what: 'its end',
      });
      await query('select 1');
    });
    await expect(broken).rejects.toSatisfy(isAway);
    expect(await database.query('select 1 as one')).toEqual([{ one: 1 }]);
  });

  it('holds no row for ever in a process that stands still', async () => {
    const [row] = await tables.database.query('show idle_in_transaction_session_timeout');
    expect(row).toEqual({ idle_in_transaction_session_timeout: '10s' });
  });
});

describe('a claim whose answer is lost', () => {
  it('is put back by its own server, and is no failure of the run', async () => {
    const [server, worker, store] = [newServer(), new PretendedWorker(), storeOf(tables.database)];
    let lost = 0;
    const claim: QueueStore['claim'] = async (...given) => {
      const claimed = await store.claim(...given);
      if (claimed.length > 0 && lost++ === 0) throw new Error('Connection terminated unexpectedly');
      return claimed;
    };
    const parts = { server, worker, time, hub: new EventHub(), slots: 10, timeoutSeconds: 3_600 };
    const queue = new Queue({ ...parts, store: { ...store, claim }, say: () => undefined });
    const { run_id: runId } = await newRun(tables.database, server);
    queue.start();
    await until(() => worker.graphOf(runId), { what: 'its second claim' });
    expect(worker.graphs.map(({ run }) => run.attempt)).toEqual([2]);
    expect(await findRun(tables.database, runId)).toMatchObject({ status: 'running', failures: 0 });
    await queue.drain(0);
  });
});

describe('a beat that fails', () => {
  it('comes again soon, since PostgreSQL may be there again before its leases are over', async () => {
    const [server, worker] = [newServer(), new PretendedWorker()];
    const store = storeOf(tables.database);
    let fails = true;
    const beat: QueueStore['beat'] = async (...given) => {
      if (fails) throw new Error('Connection terminated unexpectedly');
      return store.beat(...given);
    };
    const pauses: number[] = [];
    const timers = new Map<number, () => void>();
    const virtual = {
      now: () => 0,
      after: (milliseconds: number, run: () => void) => {
        pauses.push(milliseconds);
        timers.set(milliseconds, run);
        return () => undefined;
      },
    };
    const parts = { server, worker, time: virtual, hub: new EventHub(), slots: 0, timeoutSeconds: 3_600 };
    const queue = new Queue({ ...parts, store: { ...store, beat }, say: () => undefined });
    queue.start();
    const nextAfter = async (milliseconds: number): Promise<number | undefined> => {
      const count = pauses.length;
      timers.get(milliseconds)?.();
      await until(() => pauses.length > count, { what: 'the next beat to be planned' });
      return pauses.at(-1);
    };
    // No slot is free, so what the queue plans from now on is the beat alone.
    await until(() => timers.has(2_000), { what: 'the first claim' });
    expect(await nextAfter(3_000)).toBe(500);
    fails = false;
    expect(await nextAfter(500)).toBe(3_000);
    queue.stop();
  });
});

describe('a server that has lost its session alone', () => {
  it('keeps its runs until a beat is missing', async () => {
    const [server, other] = [newServer(), newServer()];
    await tables.database.query(
      `insert into rt.servers (owner, build_id, revision_id, holds_lock) values ($1, $2, 'r', true)`,
      [server.owner, server.buildId],
    );
    const { run_id: runId } = await newRun(tables.database, server);
    await storeOf(tables.database).claim(server, 1);
    // Beats come every three seconds, and renew for ten.
    const takenAfter = async (seconds: number): Promise<string | undefined> => {
      await tables.database.query(
        `update rt.runs set lease_until = clock_timestamp() + make_interval(secs => 10 - $2::float8) where run_id = $1`,
        [runId, seconds],
      );
      await storeOf(tables.database).takeOver(other);
      return (await findRun(tables.database, runId))?.status;
    };
    expect(await takenAfter(3.5)).toBe('running');
    expect(await takenAfter(5)).toBe('pending');
  });
});

describe('a graph that does not stop', () => {
  it('is left, and its run ends as it was to end', async () => {
    const [server, worker] = [newServer(), new PretendedWorker()];
    worker.stream = () => ({
      ended: new Promise<RunEnd>(() => undefined),
      cancel: () => undefined,
      drain: () => undefined,
    });
    const { run_id: runId } = await newRun(tables.database, server);
    const [run] = await storeOf(tables.database).claim(server, 1);
    if (run === undefined) throw new Error('nothing was due');
    const timers: { milliseconds: number; run: () => void }[] = [];
    const execution = new Execution(run, Number.POSITIVE_INFINITY, {
      store: storeOf(tables.database),
      worker,
      time: {
        now: () => 0,
        after: (milliseconds, due) => {
          timers.push({ milliseconds, run: due });
          return () => undefined;
        },
      },
      log: new EventLog(run.epoch, () => undefined),
      timeoutSeconds: 3_600,
      say: () => undefined,
    });
    const over = execution.execute();
    execution.cancel();
    timers.find(({ milliseconds }) => milliseconds === 30_000)?.run();
    await over;
    expect(await findRun(tables.database, runId)).toMatchObject({ status: 'interrupted' });
  });
});

describe('events in memory', () => {
  it('are bounded by their length, and stored in batches', () => {
    const log = new EventLog(1, () => undefined);
    const large = JSON.stringify('x'.repeat(1_000_000));
    for (let n = 0; n < 20; n++) log.add('values', large);
    const sizes: number[] = [];
    while (!log.isStored) {
      sizes.push(log.unstored().length);
      log.noteStored(log.unstored().length);
    }
    expect(sizes).toEqual([4, 4, 4, 4, 4]);
    expect(log.after(log.floor)).toHaveLength(4);
    expect(log.floor).toBe(2 ** 32 + 16);
    for (let n = 0; n < 2_500; n++) log.add('custom', '{}');
    expect(log.unstored()).toHaveLength(1_000);
    log.add('custom', JSON.stringify('x'.repeat(9_000_000)));
    while (!log.isStored) log.noteStored(log.unstored().length);
    // One that is longer than all may be is read from the table.
    expect(log.after(log.floor)).toEqual([]);
  });
});

describe('a call to another build', () => {
  it('is refused in the words of that, with its status', async () => {
    const [server, worker] = [newServer(), new PretendedWorker()];
    const refusal = '{"error":"RefusedError","message":"not yours","status":403}';
    worker.answer = () => {
      throw new WorkerFailure(refusal);
    };
    const { database } = tables;
    const queue = openQueue({ database, server, worker, slots: 1, timeoutSeconds: 60, say: () => undefined });
    const call = { buildId: server.buildId, op: 'update' as const, args: '{}' };
    await expect(callBuild({ database, hub: queue.hub }, call, 60_000)).rejects.toMatchObject({
      failure: refusal,
    });
    await queue.drain(0);
  });
});
