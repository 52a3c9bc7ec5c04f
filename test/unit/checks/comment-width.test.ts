import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

const COMMENT = /^\s*(?:\/\/|\/?\*|#)/;
/**
 * What a tool reads stands on one line with its reason; a table's rows and a one-line docstring cannot be
 * broken.
 */
const UNBREAKABLE = /oxlint-disable|biome-ignore|^\s*\* \||`[^`]{60,}`|^\s*\/\*\*.*\*\/$/;

const { lineWidth } = (
  JSON.parse(readFileSync('.biome.json', 'utf8')) as { formatter: { lineWidth: number } }
).formatter;
const files = execFileSync('git', ['ls-files', '*.ts', '*.tsx', '*.mjs', '*.sh'], { encoding: 'utf8' });

it('comments fit the width that the formatter gives to code', () => {
  const wide = files
    .split('\n')
    .filter((file) => file !== '')
    .flatMap((file) =>
      readFileSync(file, 'utf8')
        .split('\n')
        .map((line, index) => ({ line, at: `${file}:${index + 1}` })),
    )
    .filter(({ line }) => COMMENT.test(line) && line.length > lineWidth && !UNBREAKABLE.test(line));
  expect(wide.map(({ line, at }) => `${at}: ${line}`)).toEqual([]);
});
