import { readFileSync, writeFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { inReadingOrder } from '../../lib/contract/openapi/document.ts';
import { routes } from '../../lib/contract/routes.ts';

const file = new URL('../../README.md', import.meta.url);

const BEGIN = '<!-- made from the route table; a test compares -->\n';
const END = '<!-- end of the route table -->\n';

/** The README with the table of today between its marks. */
function withTable(text: string): string {
  const [begin, end] = [text.indexOf(BEGIN) + BEGIN.length, text.indexOf(END)];
  expect([begin >= BEGIN.length, end >= begin]).toEqual([true, true]);
  const rows = [...Map.groupBy(inReadingOrder(routes), ({ path }) => path)].map(([path, sharing]) => {
    const what = sharing.map(({ method, summary }) => `\`${method}\` ${summary}`);
    return `| \`${path}\` | ${what.join('; ')} |`;
  });
  const table = ['| Path | What it does |', '|---|---|', ...rows].join('\n');
  return `${text.slice(0, begin)}\n${table}\n\n${text.slice(end)}`;
}

it('the table of requests in the README is the route table; UPDATE_DOCS=1 writes it again', () => {
  const text = readFileSync(file, 'utf8');
  if (process.env.UPDATE_DOCS !== undefined) writeFileSync(file, withTable(text));
  expect(readFileSync(file, 'utf8')).toBe(withTable(text));
});
