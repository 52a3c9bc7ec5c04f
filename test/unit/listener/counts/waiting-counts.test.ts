import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { CountsRow } from '../../../../lib/contract/deployments/counts.ts';
import { WaitingCounts } from '../../../../lib/listener/counts/waiting-counts.ts';
import { createLog } from '../../../../lib/listener/log.ts';
import { temporaryFolder } from '../../../support/files/temporary-folder.ts';

const id = (n: number) => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`;

const row = (minute: number, all: number, deployment = 1): CountsRow => ({
  deployment_id: id(deployment),
  revision_id: id(99),
  minute,
  requests: { all },
});

function aLog() {
  const lines: string[] = [];
  return { log: createLog('warn', (line) => lines.push(line)), lines };
}

describe('counts that wait', () => {
  it('are due once their minute is over, oldest first, until they are settled', async () => {
    const waiting = new WaitingCounts(undefined, aLog().log);
    await waiting.add([row(10, 1)], 11);
    await waiting.add([row(11, 2)], 11);
    expect(waiting.due(11)).toEqual([row(10, 1)]);
    const both = waiting.due(12);
    expect(both).toEqual([row(10, 1), row(11, 2)]);
    await waiting.settle(both);
    expect(waiting.due(12)).toEqual([]);
  });

  it('are added to those of the same minute, and what was added since it was told stays', async () => {
    const waiting = new WaitingCounts(undefined, aLog().log);
    await waiting.add([row(10, 1)], 10);
    const told = waiting.due(11);
    await waiting.add([row(10, 4)], 10);
    await waiting.settle(told);
    expect(waiting.due(11)).toMatchObject([{ minute: 10, requests: { all: 5 } }]);
  });

  it('go a hundred at a time', async () => {
    const waiting = new WaitingCounts(undefined, aLog().log);
    await waiting.add(
      Array.from({ length: 150 }, (_, n) => row(10, n, n)),
      11,
    );
    const first = waiting.due(11);
    expect(first).toHaveLength(100);
    await waiting.settle(first);
    expect(waiting.due(11).map(({ requests }) => requests?.all)).toEqual(
      Array.from({ length: 50 }, (_, n) => n + 100),
    );
  });

  it('are dropped once nobody would take them, and the log says how many', async () => {
    const { log, lines } = aLog();
    const waiting = new WaitingCounts(undefined, log);
    await waiting.add([row(10, 1), row(11, 2)], 12);
    await waiting.add([], 130);
    expect(waiting.due(131)).toEqual([row(11, 2)]);
    expect(lines).toEqual([expect.stringContaining('1 counted minutes were dropped')]);
  });

  it('take bounded memory', async () => {
    const waiting = new WaitingCounts(undefined, aLog().log);
    for (let minute = 1; minute <= 100; minute += 1)
      await waiting.add(
        Array.from({ length: 100 }, (_, n) => row(minute, 1, n)),
        minute + 1,
      );
    let count = 0;
    for (let due = waiting.due(101); due.length > 0; due = waiting.due(101)) {
      count += due.length;
      await waiting.settle(due);
    }
    expect(count).toBe(6_000);
  });

  it('outlive the program with a file, and one that cannot be read is passed over', async () => {
    const file = join(await temporaryFolder(), 'counts.json');
    const before = new WaitingCounts(file, aLog().log);
    await before.add([row(10, 3)], 11);
    expect(new WaitingCounts(file, aLog().log).due(11)).toEqual([row(10, 3)]);
    await before.settle(before.due(11));
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({ version: 1, rows: [] });
    writeFileSync(file, '{"version":1,"rows":[{"minute":-1}]}');
    const { log, lines } = aLog();
    expect(new WaitingCounts(file, log).due(11)).toEqual([]);
    expect(lines).toEqual([expect.stringContaining(file)]);
  });
});
