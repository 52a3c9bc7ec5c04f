import { describe, expect, it } from 'vitest';
import type * as z from 'zod';
import { type JsonSchema, parameterSchema } from '../../../lib/contract/openapi/json-schema.ts';
import { routes } from '../../../lib/contract/routes/index.ts';
import { parsePart } from '../../../lib/contract/validation/parse-part.ts';
import { parseTime } from '../../../lib/contract/validation/time.ts';
import { deleteDeployments, listDeployments } from '../../../lib/features/deployments/routes.ts';
import { logQueryBody, revisionLogsQuery } from '../../../lib/features/logs/shape.ts';
import { listRevisions } from '../../../lib/features/revisions/routes.ts';

/** A parameter whose values are counted, or known beforehand. */
function isChoice({ type, enum: values, items }: JsonSchema): boolean {
  const [only] = [type].flat();
  if (only === 'array') return isChoice(items as JsonSchema); // an array's schema has one
  return values !== undefined || only !== 'string';
}

function refusals(query: Record<string, string>) {
  return parsePart('query', listRevisions.query, query).items ?? [];
}

describe('query parameters', () => {
  it('have defaults and ignore what is unknown', () => {
    expect(listRevisions.query.parse({ page: '2' })).toEqual({ limit: 20, offset: 0 });
  });

  it('are read from text', () => {
    const query = { limit: '100', offset: '900', status: 'DEPLOYED, QUEUED,', remote_reconciled: 'False' };
    expect(listRevisions.query.parse(query)).toEqual({
      limit: 100,
      offset: 900,
      status: ['DEPLOYED', 'QUEUED'],
      remote_reconciled: false,
    });
  });

  it.each<[Record<string, string>, object]>([
    [{ limit: 'x' }, { loc: ['query', 'limit'], type: 'int_parsing', input: 'x' }],
    [{ limit: '1.5' }, { loc: ['query', 'limit'], type: 'int_parsing' }],
    [{ limit: '0x10' }, { loc: ['query', 'limit'], type: 'int_parsing' }],
    [{ limit: '0' }, { loc: ['query', 'limit'], type: 'greater_than_equal', input: 0, ctx: { ge: 1 } }],
    [{ limit: '101' }, { loc: ['query', 'limit'], type: 'less_than_equal', ctx: { le: 100 } }],
    [{ offset: '-1' }, { loc: ['query', 'offset'], type: 'greater_than_equal', ctx: { ge: 0 } }],
    [{ offset: '9'.repeat(30) }, { loc: ['query', 'offset'], type: 'less_than_equal' }],
    [{ status: 'DEPLOYED,nope' }, { loc: ['query', 'status', 1], type: 'enum', input: 'nope' }],
    [{ remote_reconciled: 'maybe' }, { loc: ['query', 'remote_reconciled'], type: 'bool_parsing' }],
  ])('%j is refused', (query, expected) => {
    expect(refusals(query)).toMatchObject([expected]);
  });

  it('are absent as null, unless null is a text like any other', () => {
    const query = { limit: 'null', offset: 'null', status: 'null', remote_reconciled: 'null' };
    expect(listRevisions.query.parse(query)).toEqual({ limit: 20, offset: 0 });
    expect(listDeployments.query.parse({ name: 'null' })).toMatchObject({ name: 'null' });
    expect(refusals({ status: 'DEPLOYED,null' })).toMatchObject([{ loc: ['query', 'status', 1] }]);
  });

  const choices = routes.flatMap(({ operation, query }) =>
    Object.entries((query?.shape ?? {}) as Record<string, z.ZodType>)
      .filter(([, schema]) => isChoice(parameterSchema(schema)))
      .map(([name, schema]) => ({ operation, name, schema })),
  );
  it.each(choices)('$name of $operation is as good as absent when it is null', ({ schema }) => {
    expect(schema.safeParse('null').data).toEqual(schema.safeParse(undefined).data);
    expect(parsePart('query', schema, 'null')).toEqual(parsePart('query', schema, undefined));
  });

  it.each([',', ' , ,', ' '])('are absent as lists without an entry: %j', (text) => {
    const query = { status: text, deployment_ids: text, include: text };
    expect(listDeployments.query.parse(query)).toEqual({ limit: 20, offset: 0 });
    expect(listRevisions.query.parse({ status: text })).toEqual({ limit: 20, offset: 0 });
    expect(parsePart('query', deleteDeployments.query, { deployment_ids: text }).items).toMatchObject([
      { loc: ['query', 'deployment_ids'], type: 'missing' },
    ]);
  });

  it('are refused all at once', () => {
    expect(refusals({ limit: '0', offset: 'x', status: 'nope' })).toHaveLength(3);
  });

  it('list ids in lower case', () => {
    const ids = '0190A000-0000-7000-8000-000000000001,0190a000-0000-7000-8000-000000000002';
    expect(listDeployments.query.parse({ deployment_ids: ids }).deployment_ids).toEqual(
      ids.toLowerCase().split(','),
    );
  });
});

describe('log queries', () => {
  it.each([
    ['2026-01-02T03:04:05Z', Date.UTC(2026, 0, 2, 3, 4, 5)],
    ['2026-01-02T03:04:05.678Z', Date.UTC(2026, 0, 2, 3, 4, 5, 678)],
    ['2026-01-02T03:04:05.678901+00:00', Date.UTC(2026, 0, 2, 3, 4, 5, 678) + 0.901],
    ['2026-01-02T03:04:05+02:00', Date.UTC(2026, 0, 2, 1, 4, 5)],
    ['2026-01-02T03:04:05 02:00', Date.UTC(2026, 0, 2, 1, 4, 5)],
    ['2026-01-02T03:04:05-0230', Date.UTC(2026, 0, 2, 5, 34, 5)],
    ['2026-01-02 03:04:05', Date.UTC(2026, 0, 2, 3, 4, 5)],
    ['2026-01-02T03:04z', Date.UTC(2026, 0, 2, 3, 4)],
    ['2026-01-02', Date.UTC(2026, 0, 2)],
  ])('read %s', (text, expected) => {
    expect(parseTime(text)).toBeCloseTo(expected, 3);
  });

  it.each(['', 'yesterday', '2026-13-01', '2026-02-30T25:00:00Z', '1767225600', '2026-01-02T03'])(
    'refuse the time %j',
    (text) => {
      expect(parseTime(text)).toBeUndefined();
    },
  );

  it('have defaults; a limit above the maximum is the maximum', () => {
    expect(logQueryBody.parse({})).toEqual({ order: 'asc', limit: 50 });
    expect(logQueryBody.parse({ limit: 100_000, order: 'desc', offset: null })).toEqual({
      order: 'desc',
      limit: 1000,
    });
  });

  it.each([
    ['info', 'INFO'],
    ['Warning', 'WARNING'],
    ['warn', 'WARNING'],
    ['CRITICAL', 'ERROR'],
  ])('take the level %s', (text, level) => {
    expect(logQueryBody.parse({ level: text }).level).toBe(level);
  });

  it('say all that is wrong', () => {
    const body = { order: 'up', limit: 0, level: 'loud', start_time: 'soon', end_time: 5 };
    const found = parsePart('body', logQueryBody, body).items;
    expect(found?.map(({ loc, type }) => [loc[1], type])).toEqual([
      ['order', 'enum'],
      ['limit', 'greater_than_equal'],
      ['level', 'enum'],
      ['start_time', 'datetime_parsing'],
      ['end_time', 'string_type'],
    ]);
  });

  it('of one revision name the log, and are strict about the limit', () => {
    expect(revisionLogsQuery.parse({ type: 'build' })).toEqual({ type: 'build', order: 'asc', limit: 50 });
    expect(revisionLogsQuery.safeParse({ limit: '1001' }).error?.issues).toHaveLength(2);
  });
});
