import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { LogEntry, LogLine, LogQuery, Logs } from '../../../lib/adapters/logs.ts';
import { logLevels } from '../../../lib/contract/log-level.ts';
import { openLogStore } from '../../../lib/embedded/logs/store.ts';
import { temporaryFolder } from '../../support/files/temporary-folder.ts';

const START = 1_700_000_000_000;
const stream = { tenantId: 't', deploymentId: 'd', type: 'deploy' as const };
const revisions = ['r1', 'r2'] as const;

const line = fc.record<LogLine>({
  // Up to a second apart and in any order, with many in the same millisecond.
  timestamp: fc.oneof(
    fc.integer({ min: START, max: START + 5 }),
    fc.integer({ min: START, max: START + 1_000 }),
  ),
  level: fc.constantFrom('DEBUG', 'INFO', 'WARNING', 'ERROR'),
  message: fc.string({ maxLength: 10 }),
});
const batch = fc.record({
  revisionId: fc.constantFrom(...revisions),
  lines: fc.array(line, { maxLength: 40 }),
});
const batches = fc.array(batch, { maxLength: 12 });

async function withStore(run: (logs: Logs) => Promise<void>): Promise<void> {
  const logs = openLogStore({ path: ':memory:', now: () => START + 10_000 });
  try {
    await run(logs);
  } finally {
    logs.close();
  }
}

async function readAll(logs: Logs, query: Omit<LogQuery, 'offset'>): Promise<LogEntry[]> {
  const all: LogEntry[] = [];
  let offset: string | undefined;
  for (;;) {
    const answer = await logs.query(stream, { ...query, ...(offset === undefined ? {} : { offset }) });
    all.push(...answer.entries);
    if (answer.entries.length < query.limit && query.order === 'asc') return all;
    if (answer.nextOffset === undefined) return all;
    offset = answer.nextOffset;
  }
}

const ids = (entries: LogEntry[]) => entries.map((entry) => entry.id);

describe('the log store, whatever is written in whatever order', () => {
  it('shows a follower by offset every line once, in one order, however reads and writes interleave', async () => {
    await fc.assert(
      fc.asyncProperty(batches, fc.integer({ min: 1, max: 30 }), async (written, limit) => {
        await withStore(async (logs) => {
          const seen: LogEntry[] = [];
          let offset: string | undefined;
          const readOnce = async () => {
            const query: LogQuery = { order: 'asc', limit, ...(offset === undefined ? {} : { offset }) };
            const answer = await logs.query(stream, query);
            expect(answer.nextOffset).toBeTypeOf('string');
            offset = answer.nextOffset;
            seen.push(...answer.entries);
            return answer.entries.length;
          };
          for (const { revisionId, lines } of written) {
            await logs.append({ ...stream, revisionId }, lines);
            await readOnce();
          }
          while ((await readOnce()) > 0);
          const total = written.flatMap((part) => part.lines);
          expect(seen).toHaveLength(total.length);
          expect(new Set(ids(seen)).size).toBe(total.length);
          expect(ids(seen)).toEqual(ids(await readAll(logs, { order: 'asc', limit: 1_000 })));
          expect(seen.map((entry) => entry.timestamp)).toEqual(
            seen.map((e) => e.timestamp).toSorted((a, b) => a - b),
          );
        });
      }),
      { numRuns: 60 },
    );
  });

  it('shows a follower by start time, who drops known ids, every line', async () => {
    await fc.assert(
      fc.asyncProperty(batches, async (written) => {
        await withStore(async (logs) => {
          const seen = new Map<string, LogEntry>();
          const readOnce = async () => {
            const startTime = [...seen.values()].at(-1)?.timestamp ?? 0;
            const { entries } = await logs.query(stream, { order: 'asc', limit: 100, startTime });
            const fresh = entries.filter((entry) => !seen.has(entry.id));
            for (const entry of fresh) seen.set(entry.id, entry);
            return fresh.length;
          };
          for (const { revisionId, lines } of written) {
            await logs.append({ ...stream, revisionId }, lines);
            await readOnce();
          }
          while ((await readOnce()) > 0);
          expect([...seen.keys()]).toEqual(ids(await readAll(logs, { order: 'asc', limit: 1_000 })));
        });
      }),
      { numRuns: 60 },
    );
  });

  it('pages the same lines backwards, and goes on after any id', async () => {
    await fc.assert(
      fc.asyncProperty(batches, fc.integer({ min: 1, max: 30 }), fc.nat(), async (written, limit, pick) => {
        await withStore(async (logs) => {
          for (const { revisionId, lines } of written) await logs.append({ ...stream, revisionId }, lines);
          const forwards = ids(await readAll(logs, { order: 'asc', limit }));
          expect(ids(await readAll(logs, { order: 'desc', limit }))).toEqual(forwards.toReversed());
          if (forwards.length === 0) return;
          const at = pick % forwards.length;
          const afterId = forwards[at] ?? '';
          expect(ids(await readAll(logs, { order: 'asc', limit, afterId }))).toEqual(forwards.slice(at + 1));
        });
      }),
      { numRuns: 60 },
    );
  });

  it('filters as a plain filter over all lines would, page by page', async () => {
    const filters = fc.record(
      {
        level: fc.constantFrom<LogLine['level']>('INFO', 'WARNING', 'ERROR'),
        query: fc.constantFrom('a', 'B', ' '),
        startTime: fc.integer({ min: START - 5, max: START + 1_010 }),
        endTime: fc.integer({ min: START - 5, max: START + 1_010 }),
      },
      { requiredKeys: [] },
    );
    await fc.assert(
      fc.asyncProperty(batches, filters, fc.integer({ min: 1, max: 30 }), async (written, filter, limit) => {
        await withStore(async (logs) => {
          for (const { revisionId, lines } of written) await logs.append({ ...stream, revisionId }, lines);
          const all = await readAll(logs, { order: 'asc', limit: 1_000 });
          const expected = all.filter(
            (entry) =>
              (filter.level === undefined ||
                logLevels.indexOf(entry.level) >= logLevels.indexOf(filter.level)) &&
              (filter.query === undefined ||
                entry.message.toLowerCase().includes(filter.query.toLowerCase())) &&
              entry.timestamp >= (filter.startTime ?? 0) &&
              entry.timestamp <= (filter.endTime ?? Number.POSITIVE_INFINITY),
          );
          expect(ids(await readAll(logs, { order: 'asc', limit, ...filter }))).toEqual(ids(expected));
        });
      }),
      { numRuns: 60 },
    );
  });
});

it('keeps its lines across a restart, on disk', async () => {
  const path = join(await temporaryFolder(), 'logs.sqlite');
  const first = openLogStore({ path, now: () => START });
  await first.append({ ...stream, revisionId: 'r1' }, [{ timestamp: START, level: 'INFO', message: 'one' }]);
  const { nextOffset } = await first.query(stream, { order: 'asc', limit: 10 });
  first.close();
  const second = openLogStore({ path, now: () => START });
  await second.append({ ...stream, revisionId: 'r1' }, [
    { timestamp: START - 5, level: 'INFO', message: 'two' },
  ]);
  const { entries } = await second.query(stream, { order: 'asc', limit: 10, offset: nextOffset ?? '' });
  expect(entries.map((entry) => entry.message)).toEqual(['two']);
  second.close();
});
