import { expect, it, onTestFinished } from 'vitest';
import { createTableLogs } from '../../../lib/adapters/aws/logs.ts';
import type { LogLine, Logs } from '../../../lib/adapters/logs.ts';
import { openLogStore } from '../../../lib/embedded/logs/store.ts';
import { readLogPage } from '../../../lib/features/logs/page.ts';
import { freshTable } from '../../support/table/dynoxide.ts';

const NOW = 1_800_000_000_000;
const FUNCTION_RESPONSE_BYTES_MAX = 6 * 1024 * 1024;
const stream = {
  tenantId: 't',
  deploymentId: 'd',
  revisionId: '01a31759-5a1f-7000-8000-000000000001',
  type: 'deploy' as const,
};

/** Quotes and backslashes take four and more bytes each on their way to the client. */
const lines: LogLine[] = Array.from({ length: 1000 }, (_, number) => ({
  timestamp: NOW - 1000 + number,
  level: 'INFO',
  message: `${number} ${'"\\'.repeat(4_000)}`,
}));

const numberOf = ({ message }: { message: string }): number => Number.parseInt(message, 10);

const stores: [string, () => Promise<Logs>][] = [
  ['the table', async () => createTableLogs(await freshTable(), { now: () => NOW })],
  [
    'this machine',
    async () => {
      const logs = openLogStore({ path: ':memory:', now: () => NOW });
      onTestFinished(() => logs.close());
      return logs;
    },
  ],
];

it.each(
  stores.flatMap(([name, open]) => (['asc', 'desc'] as const).map((order) => [name, order, open] as const)),
)(
  'a page of the log of %s in %s order is no larger than a function may answer, and the next continues there',
  async (_name, order, open) => {
    const logs = await open();
    await logs.append(stream, lines);
    const seen: number[] = [];
    let pages = 0;
    let offset: string | undefined;
    while (seen.length < lines.length) {
      const page = await readLogPage({ logs }, stream, { order, limit: 1000, offset });
      const payload = JSON.stringify({ statusCode: 200, body: JSON.stringify(page) });
      expect(Buffer.byteLength(payload)).toBeLessThan(FUNCTION_RESPONSE_BYTES_MAX);
      expect(page.logs.length).toBeGreaterThan(0);
      seen.push(...page.logs.map(numberOf));
      offset = page.next_offset ?? undefined;
      pages += 1;
    }
    const numbers = lines.map(numberOf);
    expect(seen).toEqual(order === 'asc' ? numbers : numbers.toReversed());
    expect(pages).toBeGreaterThan(1);
  },
);
