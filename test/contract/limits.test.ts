import { describe, expect, it } from 'vitest';
import { openApiDocument } from '../../lib/contract/openapi/document.ts';
import { routes } from '../../lib/contract/routes/index.ts';
import { parsePart } from '../../lib/contract/validation/parse-part.ts';
import {
  bodySchemaOf,
  placesOf,
  resolved,
  type Schema,
  sampleOf,
  withValue,
} from '../support/openapi/sample.ts';

const nested = (levels: number): object => (levels === 0 ? {} : { a: nested(levels - 1) });
const hasType = ({ type }: Schema, wanted: string): boolean => [type].flat().includes(wanted);

/** Whether JSON of the client's own shape may stand there. */
const isFree = ({ additionalProperties: others, properties, type, anyOf, oneOf }: Schema): boolean =>
  typeof others === 'object'
    ? properties === undefined && others.type === undefined
    : type === undefined && anyOf === undefined && oneOf === undefined;

type Probe = { name: string; isFor(schema: Schema): boolean; value(schema: Schema): unknown; said: RegExp };

/** What may be too much of each kind, and how the description says so. */
const probes: Probe[] = [
  {
    name: 'the length of a text',
    isFor: (schema) => hasType(schema, 'string') && schema.maxLength === undefined && !schema.enum,
    value: () => 'a'.repeat(70_000),
    said: /characters|KiB|\{\d+,\d+\}/,
  },
  {
    name: 'the length of a list',
    isFor: (schema) => hasType(schema, 'array') && schema.maxItems === undefined,
    value: ({ items = {} }) => Array.from({ length: 2000 }, () => sampleOf(items)),
    said: /at most/i,
  },
  { name: 'the levels of free JSON', isFor: isFree, value: () => nested(40), said: /levels deep/ },
  {
    name: 'the texts of free JSON',
    isFor: isFree,
    value: () => ({ key: 'a'.repeat(3000) }),
    said: /characters|KiB/,
  },
];

const tooMuch: ReadonlySet<string> = new Set(['string_too_long', 'too_long', 'value_error']);

const bodies = routes.flatMap((row) => (row.body === undefined ? [] : [{ ...row, body: row.body }]));

describe.each(bodies.map((row) => [row.operation, row] as const))('%s', (_, row) => {
  const schema = bodySchemaOf(row);
  const sample = sampleOf(schema);
  const problemsOf = (body: unknown): string[] =>
    (parsePart('body', row.body, body).items ?? []).flatMap(({ loc, type }) =>
      tooMuch.has(type) ? loc.join('.') : [],
    );
  const before = new Set(problemsOf(sample));

  it.each(probes)('states what limits $name', ({ isFor, value, said }) => {
    const silent = placesOf(schema)
      .filter((place) => isFor(place.schema) && !said.test(place.words))
      .filter((place) => {
        const here = ['body', ...place.path].join('.');
        const problems = problemsOf(withValue(sample, place.path, value(place.schema)));
        return problems.some((each) => each.startsWith(here) && !before.has(each));
      });
    expect(silent.map(({ path }) => path.join('.'))).toEqual([]);
  });
});

it('states the size of what is kept of a deployment, and of any body', () => {
  const { description } = resolved(bodySchemaOf({ method: 'POST', path: '/v2/deployments' }));
  expect(description).toContain('64 KiB in all');
  expect(openApiDocument(routes)).toMatchObject({
    info: { description: expect.stringContaining('A body has at most 1 MiB') as string },
  });
});
