import { readFileSync, writeFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { awsRows } from '../../../lib/settings/aws.ts';
import { embeddedRows } from '../../../lib/settings/embedded.ts';
import { type ListenerRow, listenerRows } from '../../../lib/settings/listener.ts';
import { type Row, schemaOf } from '../../../lib/settings/row.ts';
import { functionVariable, optionOf, variableOf } from '../../../lib/settings/spelling.ts';
import { withGeneratedPart } from '../../support/files/generated-part.ts';

const root = new URL('../../../', import.meta.url);
const page = new URL('docs/configuration.md', root);

const lineOf = (cells: readonly string[]): string =>
  `|${cells.map((cell) => (cell === '' ? ' ' : ` ${cell} `)).join('|')}|`;

const tableOf = (heads: readonly string[], rows: readonly (readonly string[])[]): string =>
  [lineOf(heads), `|${heads.map(() => '---').join('|')}|`, ...rows.map(lineOf)].join('\n');

const code = (text: string): string => `\`${text}\``;

/** What holds where a setting is absent. */
function defaultOf(row: Row): string {
  const value: unknown = schemaOf(row).safeParse(undefined).data;
  if (row.defaultShown !== undefined) return row.defaultShown;
  if (typeof value === 'number') return String(value);
  if (typeof value === 'boolean' || (typeof value === 'string' && value !== '')) return code(String(value));
  return '';
}

const embeddedTable = tableOf(
  ['Variable', 'Default', 'Meaning'],
  Object.entries(embeddedRows).map(([name, row]: [string, Row]) => [
    code(variableOf(name, row)),
    defaultOf(row),
    row.does,
  ]),
);

const listenerTable = tableOf(
  ['Option', 'Variable', 'Default', 'Meaning'],
  Object.entries(listenerRows)
    .filter(([, { only }]) => only !== 'variable')
    .map(([name, row]: [string, ListenerRow]) => [
      code(optionOf(name)),
      row.only === 'option' ? '' : code(variableOf(name, row)),
      row.defaultShown ?? (row.required === undefined ? defaultOf(row) : 'required'),
      row.does,
    ]),
);

const awsTable = tableOf(
  ['Setting', 'Default', 'Meaning'],
  Object.entries<Row>(awsRows).map(([name, row]) => [code(name), defaultOf(row), row.does]),
);

/** The comment above each variable of functions: texts that no function is bundled with. */
const functionTable = tableOf(
  ['Variable', 'What it is'],
  [
    ...readFileSync(new URL('lib/settings/functions.ts', root), 'utf8').matchAll(
      /^(?:\/\*\* (.*) \*\/\n)?export const ([A-Z_]+) =/gm,
    ),
  ].map(([, comment = '', name = '']) => [code(name), comment.replace(/\.$/, '')]),
);

function withTables(text: string): string {
  const tables = {
    'variables of the embedded runtime': embeddedTable,
    'options of a listener': listenerTable,
    'settings of AWS': awsTable,
    'variables of the functions': functionTable,
  };
  return Object.entries(tables).reduce(
    (before, [name, table]) => withGeneratedPart(before, name, table),
    text,
  );
}

it('the tables in docs/configuration.md are those of lib/settings; `npm run docs` writes them', () => {
  const text = readFileSync(page, 'utf8');
  if (process.env.UPDATE_DOCS !== undefined) writeFileSync(page, withTables(text));
  expect(readFileSync(page, 'utf8')).toBe(withTables(text));
});

it('every variable of functions has a comment for its table', () => {
  const rows = functionTable.split('\n').slice(2);
  expect(rows.length).toBeGreaterThan(40);
  expect(rows.filter((row) => row.endsWith('| |'))).toEqual([]);
});

it('and that of a setting is called as the setting is', () => {
  const named = [...functionTable.matchAll(/^\| `([A-Z_]+)` \|.*\bsetting `(\w+)`/gm)];
  expect(named.length).toBeGreaterThan(20);
  const different = named.filter(([, variable, setting = '']) => functionVariable(setting) !== variable);
  // Renaming these would change every function of an installation, for nothing.
  expect(different.map(([, ...names]) => names)).toEqual([
    ['DOCKER_HUB_SECRET_ARN', 'dockerHubSecret'],
    ['AGENTS_ROLE_ARN', 'agentRole'],
  ]);
  expect(named.map(([, , setting = '']) => setting).filter((setting) => !(setting in awsRows))).toEqual([]);
});
