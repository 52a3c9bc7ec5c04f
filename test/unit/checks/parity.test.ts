import { existsSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

const root = new URL('../../../', import.meta.url);
const page = readFileSync(new URL('docs/parity.md', root), 'utf8');

/** The cells of each row of the tables under a heading, without titles and subtitles. */
function rowsUnder(heading: string): string[][] {
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

const testsIn = (text: string) => [...text.matchAll(/`([\w/.-]+\.test\.ts)`/g)].map(([, name = '']) => name);

it('the page on parity names only tests that exist', () => {
  const missing = [...new Set(testsIn(page))].filter((name) => !existsSync(new URL(`test/${name}`, root)));
  expect(missing).toEqual([]);
});

it('and names a test for each thing that is the same, and for each that differs a test or that there is none', () => {
  const same = rowsUnder('The same, by test');
  const different = rowsUnder('Different');
  expect([same.length > 20, different.length > 30]).toEqual([true, true]);
  const last = (cells: string[]) => cells.at(-1) ?? '';
  expect(same.filter((cells) => cells.length !== 2 || testsIn(last(cells)).length === 0)).toEqual([]);
  const isClear = (text: string) => text.startsWith('not tested') || testsIn(text).length > 0;
  expect(different.filter((cells) => cells.length !== 4 || !isClear(last(cells)))).toEqual([]);
});
