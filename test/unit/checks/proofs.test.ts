import { existsSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

const root = new URL('../../../', import.meta.url);
const parity = readFileSync(new URL('docs/parity.md', root), 'utf8');
const testing = readFileSync(new URL('docs/testing.md', root), 'utf8');

/** The cells of each row of the tables of a page under a heading, without titles and subtitles. */
function rowsUnder(page: string, heading: string): string[][] {
  const [, section = ''] = page.split(`## ${heading}\n`);
  const lines = (section.split('\n## ')[0] ?? '').split('\n').filter((line) => line.startsWith('| '));
  const rows = lines.slice(1).map((line) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
  return rows.filter((cells) => cells.slice(1).some((cell) => cell !== ''));
}

const testsIn = (text: string) =>
  [...text.matchAll(/`([\w/.-]+(?:\.test|-tests)\.ts)`/g)].map(([, name = '']) => name);
const last = (cells: string[]) => cells.at(-1) ?? '';

it.each([
  ['parity', parity],
  ['testing', testing],
])('the page on %s names only tests that exist', (_, page) => {
  const tables = page.split('\n').filter((line) => line.startsWith('| '));
  const named = [...new Set(tables.flatMap(testsIn))];
  expect(named.length).toBeGreaterThan(30);
  expect(named.filter((name) => !existsSync(new URL(`test/${name}`, root)))).toEqual([]);
});

it('the page on parity names a test for each thing that is the same, and for each that differs a test or that there is none', () => {
  const same = rowsUnder(parity, 'The same, by test');
  const different = rowsUnder(parity, 'Different');
  expect([same.length > 20, different.length > 30]).toEqual([true, true]);
  expect(same.filter((cells) => cells.length !== 2 || testsIn(last(cells)).length === 0)).toEqual([]);
  const isClear = (text: string) => text.startsWith('not tested') || testsIn(text).length > 0;
  expect(different.filter((cells) => cells.length !== 4 || !isClear(last(cells)))).toEqual([]);
});

it('the page on testing names a test for each behavior, and each behavior once', () => {
  const rows = rowsUnder(testing, 'Which test proves what');
  expect(rows.length).toBeGreaterThan(40);
  expect(rows.filter((cells) => cells.length !== 2 || testsIn(last(cells)).length === 0)).toEqual([]);
  const behaviors = rows.map(([behavior]) => behavior);
  expect(behaviors.filter((behavior, at) => behaviors.indexOf(behavior) !== at)).toEqual([]);
});
