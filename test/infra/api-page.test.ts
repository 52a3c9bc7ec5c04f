import { readFileSync, writeFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { inReadingOrder } from '../../lib/contract/openapi/document.ts';
import { routes } from '../../lib/contract/routes/index.ts';
import { transitions } from '../../lib/domain/transitions.ts';
import { withGeneratedPart } from '../support/files/generated-part.ts';

const file = new URL('../../docs/api.md', import.meta.url);

/** The page with the routes of today in its table. */
function withRoutes(text: string): string {
  const rows = [...Map.groupBy(inReadingOrder(routes), ({ path }) => path)].map(([path, sharing]) => {
    const what = sharing.map(({ method, summary }) => `\`${method}\` ${summary}`);
    return `| \`${path}\` | ${what.join('; ')} |`;
  });
  return withGeneratedPart(text, 'routes', ['| Path | Methods |', '|---|---|', ...rows].join('\n'));
}

it('the routes in docs/api.md are those of the route table; `npm run docs` writes them', () => {
  const text = readFileSync(file, 'utf8');
  if (process.env.UPDATE_DOCS !== undefined) writeFileSync(file, withRoutes(text));
  expect(readFileSync(file, 'utf8')).toBe(withRoutes(text));
});

it('the statuses in docs/api.md and what may follow each are the transitions of the engine', () => {
  const rows = readFileSync(file, 'utf8').matchAll(/^\| `([A-Z_]+)` \| [^|]+ \| ([^|]*) ?\|$/gm);
  const documented = [...rows].map(([, status = '', next = '']) => [status, next.match(/[A-Z_]+/g) ?? []]);
  expect(Object.fromEntries(documented)).toEqual(transitions);
});
