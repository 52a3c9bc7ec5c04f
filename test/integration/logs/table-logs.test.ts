import { describe, expect, it } from 'vitest';
import { createTableLogs } from '../../../lib/adapters/aws/logs.ts';
import type { LogEntry, LogLine, LogQuery, Logs } from '../../../lib/adapters/logs.ts';
import { ValidationError } from '../../../lib/contract/errors.ts';
import { freshTable } from '../../support/table/dynoxide.ts';

const NOW = 1_800_000_000_000;
/** UUIDv7 of 100 s before. */
const at = (time: number, number: number): string =>
  `${time
    .toString(16)
    .padStart(12, '0')
    .replace(/^(.{8})/, '$1-')}-7000-8000-0000${String(number).padStart(8, '0')}`;
const R1 = at(NOW - 100_000, 1);
const R2 = at(NOW - 50_000, 2);
const deployLogs = { tenantId: 't', deploymentId: 'd', type: 'deploy' as const };
const first = { ...deployLogs, revisionId: R1 };
const second = { ...deployLogs, revisionId: R2 };

const openLogs = async () => createTableLogs(await freshTable(), { now: () => NOW });

const lines = (count: number, from: number, message = 'line'): LogLine[] =>
  Array.from({ length: count }, (_, i) => ({
    timestamp: from + i,
    level: 'INFO',
    message: `${message} ${i}`,
  }));

const texts = (entries: LogEntry[]): string[] => entries.map((entry) => entry.message);

async function readAll(logs: Logs, query: Omit<LogQuery, 'offset'>, of: typeof deployLogs = deployLogs) {
  const all: LogEntry[] = [];
  let offset: string | undefined;
  for (;;) {
    const answer = await logs.query(of, { ...query, ...(offset !== undefined && { offset }) });
    all.push(...answer.entries);
    const isEnd =
      query.order === 'asc' ? answer.entries.length < query.limit : answer.nextOffset === undefined;
    if (isEnd) return all;
    offset = answer.nextOffset;
  }
}

describe('logs in the table', () => {
  it('keeps revisions and types apart, and joins the revisions of one deployment in the order of time', async () => {
    const logs = await openLogs();
    await logs.append(first, lines(2, NOW - 90_000, 'old'));
    await logs.append(second, lines(2, NOW - 40_000, 'new'));
    await logs.append(first, lines(1, NOW - 30_000, 'late'));
    await logs.append({ ...first, type: 'build' }, lines(1, NOW - 95_000, 'build'));
    expect(texts(await readAll(logs, { order: 'asc', limit: 3 }))).toEqual([
      'old 0',
      'old 1',
      'new 0',
      'new 1',
      'late 0',
    ]);
    expect(texts(await readAll(logs, { order: 'asc', limit: 3 }, first))).toEqual([
      'old 0',
      'old 1',
      'late 0',
    ]);
    expect(texts(await readAll(logs, { order: 'desc', limit: 1 }, second))).toEqual(['new 1', 'new 0']);
    expect(await readAll(logs, { order: 'asc', limit: 3 }, { ...deployLogs, tenantId: 'other' })).toEqual([]);
  });

  it('shows a follower every line once while two writers compete, in pages of any size, both ways', async () => {
    const logs = await openLogs();
    const seen: LogEntry[] = [];
    let offset: string | undefined;
    const readOnce = async () => {
      const query = { order: 'asc', limit: 7, ...(offset !== undefined && { offset }) } as const;
      const answer = await logs.query(deployLogs, query);
      offset = answer.nextOffset;
      seen.push(...answer.entries);
      return answer.entries.length;
    };
    for (let round = 0; round < 12; round += 1) {
      const writers = [first, second].map((stream) => logs.append(stream, lines(round * 3, NOW - 20_000)));
      await Promise.all([...writers, readOnce()]);
    }
    while ((await readOnce()) > 0);
    const total = 2 * 3 * ((11 * 12) / 2);
    expect(new Set(seen.map(({ id }) => id)).size).toBe(total);
    expect(seen).toHaveLength(total);
    expect(seen.map((entry) => entry.timestamp)).toEqual(
      seen.map((entry) => entry.timestamp).toSorted((a, b) => a - b),
    );
    const backwards = await readAll(logs, { order: 'desc', limit: 10 });
    expect(backwards.toReversed()).toEqual(seen);
    const [afterId, after] = [seen[50]?.id ?? '', seen.slice(51)];
    expect(await readAll(logs, { order: 'asc', limit: 10, afterId })).toEqual(after);
  });

  it('filters by time, level and text, and does not lose what lies beyond an end time', async () => {
    const logs = await openLogs();
    const levels = ['INFO', 'ERROR', 'INFO', 'WARNING'] as const;
    await logs.append(
      first,
      levels.map((level, i) => ({ timestamp: NOW - 1000 + i, level, message: `${level} Größe` })),
    );
    await logs.append(first, lines(2, NOW - 500, 'later'));
    const ask = async (query: Partial<LogQuery>) =>
      texts((await logs.query(deployLogs, { order: 'asc', limit: 100, ...query })).entries);
    expect(await ask({ level: 'ERROR' })).toEqual(['ERROR Größe']);
    expect(await ask({ query: 'ning GRÖ' })).toEqual(['WARNING Größe']);
    expect(await ask({ startTime: NOW - 998, endTime: NOW - 997 })).toEqual(['INFO Größe', 'WARNING Größe']);
    expect(await ask({ order: 'desc', startTime: NOW - 499.5 })).toEqual(['later 1']);
    const early = await logs.query(deployLogs, { order: 'asc', limit: 100, endTime: NOW - 999 });
    expect(early.entries).toHaveLength(2);
    const offset = early.nextOffset ?? '';
    expect(await ask({ offset })).toEqual(['INFO Größe', 'WARNING Größe', 'later 0', 'later 1']);
  });

  it('cuts a large batch into chunks, and spreads lines of one time', async () => {
    const logs = await openLogs();
    const batch = Array.from({ length: 1_500 }, (_, i): LogLine => {
      return { timestamp: NOW - 500, level: 'INFO', message: `${i} ${'x'.repeat(2_000)}` };
    });
    await logs.append(first, batch);
    const read = await readAll(logs, { order: 'asc', limit: 1_000 });
    expect(texts(read)).toEqual(batch.map(({ message }) => message));
    const counts = Object.values(Object.groupBy(read, (entry) => String(entry.timestamp)));
    expect(Math.max(...counts.map((group) => group?.length ?? 0))).toBeLessThan(100);
  });

  it('believes no clock that runs ahead or behind', async () => {
    const logs = await openLogs();
    await logs.append(first, [{ timestamp: NOW + 86_400_000, level: 'INFO', message: 'ahead' }]);
    await logs.append(first, [{ timestamp: 0, level: 'INFO', message: 'behind' }]);
    const read = await readAll(logs, { order: 'asc', limit: 10 }, first);
    expect(read.map(({ message, timestamp }) => [message, timestamp])).toEqual([
      ['ahead', NOW],
      ['behind', NOW + 1],
    ]);
  });

  it('gives an offset to follow from where nothing has been written yet, and refuses what is none', async () => {
    const logs = await openLogs();
    const { nextOffset = '' } = await logs.query(first, { order: 'asc', limit: 10 });
    await logs.append(first, lines(1, NOW - 500));
    const { entries } = await logs.query(first, { order: 'asc', limit: 10, offset: nextOffset });
    expect(texts(entries)).toEqual(['line 0']);
    for (const wrong of [{ offset: 'x' }, { order: 'desc', offset: nextOffset }, { afterId: 'x' }] as const) {
      const asked = logs.query(first, { order: 'asc', limit: 10, ...wrong });
      await expect(asked).rejects.toThrow(ValidationError);
    }
  });

  it('forgets a deployment, and only that', async () => {
    const logs = await openLogs();
    const other = { ...first, deploymentId: 'other' };
    for (let i = 0; i < 60; i += 1) await logs.append(first, lines(1, NOW - 500));
    await logs.append({ ...first, type: 'build' }, lines(1, NOW - 500));
    await logs.append(other, lines(1, NOW - 500, 'kept'));
    await logs.delete('t', 'd');
    expect(await readAll(logs, { order: 'asc', limit: 10 })).toEqual([]);
    expect((await logs.query({ ...first, type: 'build' }, { order: 'asc', limit: 1 })).entries).toEqual([]);
    expect(texts((await logs.query(other, { order: 'asc', limit: 1 })).entries)).toEqual(['kept 0']);
  });
});
