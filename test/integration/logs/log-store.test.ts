import { describe, expect, it, onTestFinished } from 'vitest';
import type { LogLine } from '../../../lib/adapters/logs.ts';
import { ValidationError } from '../../../lib/contract/errors.ts';
import type { LogLevel } from '../../../lib/contract/log-level.ts';
import { openLogStore } from '../../../lib/embedded/logs/store.ts';

const NOW = 1_700_000_000_000;
const deployLogs = { tenantId: 't', deploymentId: 'd', type: 'deploy' as const };
const stream = { ...deployLogs, revisionId: 'r' };

function openStore(bounds?: { linesMax: number; bytesMax: number }) {
  const logs = openLogStore({ path: ':memory:', now: () => NOW, ...(bounds && { bounds }) });
  onTestFinished(() => logs.close());
  return logs;
}

const lines = (...texts: string[]): LogLine[] =>
  texts.map((message, at) => ({ timestamp: NOW - 1000 + at, level: 'INFO', message }));

async function messages(logs: ReturnType<typeof openStore>, of: Parameters<typeof logs.query>[0] = stream) {
  const { entries } = await logs.query(of, { order: 'asc', limit: 1_000_000 });
  return entries.map((entry) => entry.message);
}

describe('the log store', () => {
  it('keeps tenants, deployments, revisions and types apart, and joins the revisions of one deployment', async () => {
    const logs = openStore();
    await logs.append(stream, lines('a'));
    await logs.append({ ...stream, revisionId: 'r2' }, lines('b'));
    await logs.append({ ...stream, type: 'build' }, lines('c'));
    await logs.append({ ...stream, deploymentId: 'd2' }, lines('d'));
    await logs.append({ ...stream, tenantId: 't2' }, lines('e'));
    expect(await messages(logs)).toEqual(['a']);
    expect(await messages(logs, deployLogs)).toEqual(['a', 'b']);
    expect(await messages(logs, { ...stream, type: 'build' })).toEqual(['c']);
    expect(await messages(logs, { ...stream, tenantId: 't2' })).toEqual(['e']);
    expect(await messages(logs, { ...stream, tenantId: 't3' })).toEqual([]);
  });

  it('gives an offset to follow from where nothing has been written yet', async () => {
    const logs = openStore();
    const { entries, nextOffset } = await logs.query(stream, { order: 'asc', limit: 10 });
    expect(entries).toEqual([]);
    await logs.append(stream, lines('first'));
    const next = await logs.query(stream, { order: 'asc', limit: 10, offset: nextOffset ?? '' });
    expect(next.entries.map((entry) => entry.message)).toEqual(['first']);
  });

  it('does not lose what lies beyond an end time when a later question reaches further', async () => {
    const logs = openStore();
    await logs.append(stream, lines('a', 'b', 'c'));
    const first = await logs.query(stream, { order: 'asc', limit: 10, endTime: NOW - 1000 });
    expect(first.entries.map((entry) => entry.message)).toEqual(['a']);
    const second = await logs.query(stream, { order: 'asc', limit: 10, offset: first.nextOffset ?? '' });
    expect(second.entries.map((entry) => entry.message)).toEqual(['b', 'c']);
  });

  it('finds text in any case, beyond ASCII too, and takes wildcards literally', async () => {
    const logs = openStore();
    await logs.append(stream, lines('Größe 100%', 'plain', 'a_b'));
    const find = async (query: string) =>
      (await logs.query(stream, { order: 'asc', limit: 10, query })).entries.map((entry) => entry.message);
    expect(await find('GRÖSSE')).toEqual([]);
    expect(await find('GRÖ')).toEqual(['Größe 100%']);
    expect(await find('%')).toEqual(['Größe 100%']);
    expect(await find('A_B')).toEqual(['a_b']);
  });

  it('filters by level', async () => {
    const logs = openStore();
    const levels: LogLevel[] = ['INFO', 'ERROR', 'INFO', 'WARNING'];
    await logs.append(
      stream,
      levels.map((level) => ({ timestamp: NOW, level, message: level })),
    );
    const { entries } = await logs.query(stream, { order: 'desc', limit: 10, level: 'ERROR' });
    expect(entries.map((entry) => [entry.level, entry.message])).toEqual([['ERROR', 'ERROR']]);
  });

  it.each(['x', '', 'YXNjOjE', Buffer.from('asc:1-2-3').toString('base64url')])(
    'refuses the offset %j',
    async (offset) => {
      const logs = openStore();
      const asked = logs.query(stream, { order: 'asc', limit: 10, offset });
      await expect(asked).rejects.toThrow(ValidationError);
      await expect(asked).rejects.toMatchObject({
        items: [{ loc: ['body', 'offset'], type: 'value_error' }],
      });
    },
  );

  it('refuses an offset of the other order, and an id that is none', async () => {
    const logs = openStore();
    const { nextOffset = '' } = await logs.query(stream, { order: 'asc', limit: 10 });
    await expect(logs.query(stream, { order: 'desc', limit: 10, offset: nextOffset })).rejects.toThrow(
      ValidationError,
    );
    await expect(logs.query(stream, { order: 'asc', limit: 10, afterId: 'x' })).rejects.toThrow(
      ValidationError,
    );
  });

  it('ends desc paging with no offset', async () => {
    const logs = openStore();
    await logs.append(stream, lines('a', 'b', 'c', 'd'));
    const first = await logs.query(stream, { order: 'desc', limit: 2 });
    const second = await logs.query(stream, { order: 'desc', limit: 2, offset: first.nextOffset ?? '' });
    expect([...first.entries, ...second.entries].map((entry) => entry.message)).toEqual(['d', 'c', 'b', 'a']);
    expect(second.nextOffset).toBeUndefined();
  });

  it('does not let a clock that runs ahead hold back later lines', async () => {
    const logs = openStore();
    await logs.append(stream, [{ timestamp: NOW + 86_400_000, level: 'INFO', message: 'ahead' }]);
    await logs.append(stream, [{ timestamp: NOW, level: 'INFO', message: 'now' }]);
    const { entries } = await logs.query(stream, { order: 'asc', limit: 10 });
    expect(entries.map((entry) => entry.timestamp)).toEqual([NOW, NOW]);
  });

  it('never lets a hundred lines share a millisecond', async () => {
    const logs = openStore();
    await logs.append(
      stream,
      Array.from({ length: 1_000 }, () => ({ timestamp: NOW, level: 'INFO', message: 'x' })),
    );
    const { entries } = await logs.query(stream, { order: 'asc', limit: 1_000 });
    const counts = Object.values(Object.groupBy(entries, (entry) => String(entry.timestamp)));
    expect(Math.max(...counts.map((group) => group?.length ?? 0))).toBeLessThan(100);
  });

  it('escapes control characters and cuts long lines', async () => {
    const logs = openStore();
    await logs.append(stream, lines('a\x1b[31m\tb\0', 'é'.repeat(20_000)));
    const [escaped, cut = ''] = await messages(logs);
    expect(escaped).toBe('a\\x1b[31m\tb\\x00');
    expect(Buffer.byteLength(cut)).toBeLessThanOrEqual(16 * 1024);
    expect(cut).toMatch(/^é+ … \(cut\)$/);
  });

  it.each([
    ['lines', { linesMax: 100, bytesMax: 1_000_000 }],
    ['bytes', { linesMax: 1_000_000, bytesMax: 1_000 }],
  ])('forgets the oldest beyond its bound of %s, of this sequence only', async (_, bounds) => {
    const logs = openStore(bounds);
    await logs.append({ ...stream, type: 'build' }, lines('kept'));
    for (let at = 0; at < 500; at += 1)
      await logs.append(stream, lines(`line ${String(at).padStart(5, '0')}`));
    const left = await messages(logs);
    expect(left.length).toBeGreaterThanOrEqual(80);
    expect(left.length).toBeLessThanOrEqual(100);
    expect(left.at(-1)).toBe('line 00499');
    expect(left[0]).toBe(`line ${String(500 - left.length).padStart(5, '0')}`);
    expect(await messages(logs, { ...stream, type: 'build' })).toEqual(['kept']);
  });

  it('bounds one batch that is larger than everything it may keep', async () => {
    const logs = openStore({ linesMax: 10, bytesMax: 1_000_000 });
    await logs.append(stream, lines(...Array.from({ length: 1_000 }, (_, at) => String(at))));
    expect((await messages(logs)).at(-1)).toBe('999');
    expect((await messages(logs)).length).toBeLessThanOrEqual(10);
  });

  it('forgets a deployment, and only that', async () => {
    const logs = openStore();
    await logs.append(stream, lines('a'));
    await logs.append({ ...stream, type: 'build' }, lines('b'));
    await logs.append({ ...stream, deploymentId: 'other' }, lines('c'));
    await logs.delete('t', 'd');
    expect(await messages(logs)).toEqual([]);
    expect(await messages(logs, { ...stream, type: 'build' })).toEqual([]);
    expect(await messages(logs, { ...stream, deploymentId: 'other' })).toEqual(['c']);
  });
});
