import { closeSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { RunRecord, readRunRecord } from '../../../lib/embedded/data-folder/run-record.ts';
import { temporaryFolder } from '../../support/files/temporary-folder.ts';

const run = { pid: 1, start_time: 'now', supervisor_id: 'k' };
const groupOf = (marker: string) => ({ what: 'git', pid: 7, marker });
const markers = fc.constantFrom('a', 'b', 'c', 'd');
const changes = fc.array(fc.record({ adds: fc.boolean(), marker: markers }), { maxLength: 30 });

/** What runs after so many of the changes. */
function after(made: { adds: boolean; marker: string }[]): string[] {
  const running = new Set<string>();
  for (const { adds, marker } of made) {
    if (adds) running.add(marker);
    else running.delete(marker);
  }
  return [...running].toSorted();
}

const markersIn = (file: string) =>
  readRunRecord(file)
    ?.groups.map(({ marker }) => marker)
    .toSorted();

it('says what ran at the last change that was written whole, wherever the file ends', async () => {
  const file = join(await temporaryFolder(), 'run.json');
  const law = fc.property(changes, fc.double({ min: 0, max: 1, noNaN: true }), (made, share) => {
    const record = new RunRecord(file, run);
    const lengths = [readFileSync(file).length];
    for (const { adds, marker } of made) {
      if (adds) record.add(groupOf(marker));
      else record.remove(marker);
      lengths.push(readFileSync(file).length);
    }
    expect(markersIn(file)).toEqual(after(made));
    const whole = readFileSync(file);
    record.close();
    const [begun = 0] = lengths;
    const cut = begun + Math.floor(share * (whole.length - begun));
    writeFileSync(file, whole.subarray(0, cut));
    // A line is whole without its end, too.
    const count = lengths.findLastIndex((length) => length - 1 <= cut);
    expect(markersIn(file)).toEqual(after(made.slice(0, count)));
  });
  fc.assert(law, { numRuns: 60 });
});

it('begins its file anew before that grows without end', async () => {
  const file = join(await temporaryFolder(), 'run.json');
  const record = new RunRecord(file, run);
  record.add(groupOf('stays'));
  for (let index = 0; index < 1_200; index += 1) {
    record.add(groupOf('comes and goes'));
    record.remove('comes and goes');
  }
  expect(readFileSync(file, 'utf8').split('\n').length).toBeLessThanOrEqual(1_002);
  expect(readRunRecord(file)).toEqual({ ...run, groups: [groupOf('stays')] });
  record.close();
  expect(readRunRecord(file)).toEqual({ ...run, groups: [] });
});

it('writes nothing once it is closed, whichever file has its number then', async () => {
  const folder = await temporaryFolder();
  const record = new RunRecord(join(folder, 'run.json'), run);
  record.close();
  const other = openSync(join(folder, 'other'), 'w');
  record.add(groupOf('late'));
  record.close();
  closeSync(other);
  expect(readFileSync(join(folder, 'other'), 'utf8')).toBe('');
  expect(readRunRecord(join(folder, 'run.json'))).toEqual({ ...run, groups: [] });
});
