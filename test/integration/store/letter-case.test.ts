import { readdir, readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { put } from '../../../lib/store/dynamodb/expressions.ts';
import { queryAll } from '../../../lib/store/dynamodb/reads.ts';
import { startingWith } from '../../../lib/store/dynamodb/sort-key-range.ts';
import { transact } from '../../../lib/store/dynamodb/transact.ts';
import type { Table } from '../../../lib/store/table.ts';
import { freshTable } from '../../support/table/dynoxide.ts';
import { type QueryCase, queryCases } from '../../support/table/query-cases.ts';

const OWN = 'a-thing';
const TWINS = ['A-THING', 'A-thing', 'a-THING', 'a-thinG'];

/**
 * The least that has a schema's shape, the first of several: text is a time, a list is empty, what is
 * optional is absent.
 */
function leastOf(schema: z.core.JSONSchema._JSONSchema | undefined): unknown {
  if (schema === undefined || typeof schema === 'boolean') return undefined;
  const { properties = {}, required = [], oneOf: [first] = [] } = schema;
  if (first !== undefined) return leastOf(first);
  if (schema.const !== undefined) return schema.const;
  if (schema.enum !== undefined) return schema.enum[0];
  // What may be null too is written `['string', 'null']`.
  const [type] = [schema.type].flat();
  if (type === 'string') return '2026-01-01T00:00:00.000Z';
  if (type === 'boolean') return false;
  if (type === 'array') return [];
  if (type !== 'object') return 0;
  return Object.fromEntries(required.map((name) => [name, leastOf(properties[name])]));
}

async function store(table: Table, { shape, key, more }: QueryCase, id: string): Promise<void> {
  const least = z
    .record(z.string(), z.unknown())
    .parse(leastOf(z.toJSONSchema(shape, { unrepresentable: 'any' })));
  await transact(table, [put('item', { ...least, ...more?.(id), ...key(id) })]);
}

describe('a query finds nothing under an id that differs in the case of its letters', () => {
  it.each(queryCases)('$name', async (query) => {
    const table = await freshTable();
    for (const twin of TWINS) await store(table, query, twin);
    expect(await query.ask(table, OWN)).toEqual([]);
    await store(table, query, OWN);
    expect(await query.ask(table, OWN)).toHaveLength(1);
  });
});

/** How many queries each file below `lib` spells. */
async function spelledQueries(): Promise<Map<string, number>> {
  const names = (await readdir('lib', { recursive: true })).filter((name) => name.endsWith('.ts'));
  const counts = names.map(async (name): Promise<[string, number]> => {
    const text = await readFile(`lib/${name}`, 'utf8');
    return [`lib/${name}`, [...text.matchAll(/\b(queryAll|queryPage|QueryCommand)\(/g)].length];
  });
  return new Map((await Promise.all(counts)).filter(([, count]) => count > 0));
}

it('each query of the table is tried so', async () => {
  const spelled = await spelledQueries();
  spelled.delete('lib/store/dynamodb/reads.ts');
  expect(spelled.size).toBeGreaterThan(15);
  const tried = Map.groupBy(queryCases, ({ file }) => file);
  const untried = [...spelled].filter(([file, count]) => (tried.get(file)?.length ?? 0) < count);
  expect(untried).toEqual([]);
});

describe('sort keys that start with a prefix', () => {
  it('are all of them and no others, whatever comes behind the prefix', async () => {
    const table = await freshTable();
    const inside = ['gh#', 'gh#\uffff', 'gh#1', 'gh#a', 'gh#é', 'gh#😀', 'gh#\u{10ffff}'];
    for (const sk of [...inside, 'gh', 'gh"', 'gh$', 'GH#1', 'Gh#😀', 'gh%#', 'g_#1', 'ghx#', 'gi'])
      await transact(table, [put('item', { pk: 'p', sk })]);
    const keyed = z.object({ sk: z.string() });
    const found: string[] = [];
    for await (const { sk } of queryAll(table, keyed, { pk: 'p', between: startingWith('gh#'), limit: 2 }))
      found.push(sk);
    expect(found.toSorted()).toEqual(inside.toSorted());
  });
});
