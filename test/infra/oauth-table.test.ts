import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const read = (file: string): string => readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8');

const [, chapter = ''] = read('docs/oauth.md').split('\n## RFC 9700');
const rows = chapter
  .split('\n')
  .filter((line) => /^\| \d/.test(line))
  .map((line) => line.split('|').map((cell) => cell.trim()));

const testFiles = readdirSync(new URL('../', import.meta.url), { recursive: true, encoding: 'utf8' });

it('every rule of the table has a test, which is there under its name', () => {
  expect(rows.length).toBeGreaterThan(20);
  const lost = rows.flatMap(([, , rule = '', , test = '']) => {
    const [, file = '', name = ''] = /^`([\w-]+\.test\.ts)` (.+)$/.exec(test) ?? [];
    const path = testFiles.find((each) => each.endsWith(`/${file}`));
    return path !== undefined && read(join('test', path)).includes(`'${name}'`) ? [] : [`${rule}: ${test}`];
  });
  expect(lost).toEqual([]);
});
