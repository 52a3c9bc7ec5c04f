import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { errors } from '../../lib/contract/errors.ts';
import { openApiDocument, openApiText } from '../../lib/contract/openapi/document.ts';
import { errorTextOf } from '../../lib/contract/openapi/errors.ts';
import { exampleOf } from '../../lib/contract/openapi/examples/index.ts';
import { routes } from '../../lib/contract/routes/index.ts';
import { RELEASE_VERSION } from '../../lib/contract/version.ts';
import { checkResourceSpec } from '../../lib/domain/resource-spec.ts';

type Json = { [key: string]: Json } & Json[] & string;

const root = new URL('../../', import.meta.url);
const read = (path: string) => readFileSync(new URL(path, root), 'utf8');
const document: unknown = openApiDocument(routes);
const { paths, components } = document as { paths: Json; components: Json };

/** Everything in a document that `$ref` names. */
function references(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, member]) =>
    key === '$ref' && typeof member === 'string' ? [member] : references(member),
  );
}

function resolved(reference: string): unknown {
  return reference
    .replace(/^#\//, '')
    .split('/')
    .reduce<Json | undefined>((inside, part) => inside?.[part], document as Json);
}

/** All objects in a value. */
const within = (value: unknown): Json[] =>
  typeof value === 'object' && value !== null
    ? [value as Json, ...Object.values(value).flatMap((member) => within(member))]
    : [];

describe('docs/openapi.json', () => {
  it('is what the route table says; `npm run openapi` writes it again', () => {
    expect(read('docs/openapi.json') === openApiText(routes)).toBe(true);
  });

  it('has the version of the package', () => {
    expect(JSON.parse(read('package.json'))).toMatchObject({ version: RELEASE_VERSION });
    expect(document).toMatchObject({ openapi: '3.1.0', info: { version: '0.2.0' } });
  });

  it('refers to nothing that is not there, and names nothing that nobody refers to', () => {
    const used = new Set(references(document));
    expect([...used].filter((each) => resolved(each) === undefined)).toEqual([]);
    const parts = ['schemas', 'responses', 'headers'] as const;
    const named = parts.flatMap((part) =>
      Object.keys(components[part] ?? {}).map((name) => `#/components/${part}/${name}`),
    );
    expect(named.filter((each) => !used.has(each))).toEqual([]);
  });

  it('names each variant of a union, as generators of clients need it', () => {
    const unnamed = within(components.schemas).flatMap(({ oneOf = [] }) =>
      oneOf.filter((variant) => !('$ref' in variant)),
    );
    expect(unnamed).toEqual([]);
  });

  it('has no fields beside the known ones that these contradict', () => {
    const contradicted = within(components.schemas).filter(
      ({ properties, additionalProperties: others }) =>
        properties !== undefined && typeof others === 'object' && Object.keys(others).length > 0,
    );
    expect(contradicted).toEqual([]);
    for (const closed of ['Container', 'Volume', 'VolumeMount'])
      expect(components.schemas?.[closed]).toMatchObject({ additionalProperties: false });
  });

  it('has words for each folder of endpoints', () => {
    const folders = new Set(routes.map(({ handler }) => handler.split('/')[2]));
    const tags = (document as { tags: { name: string }[] }).tags.map(({ name }) => name);
    expect(new Set(tags)).toEqual(folders);
  });

  it('gives the text of each refusal, with names in the places of values', () => {
    expect(errorTextOf('deployment_not_found')).toBe('Deployment ID {id} not found.');
    expect(errorTextOf('method_not_allowed')).toBe(
      'Method {method} is not allowed here; allowed: {allowed}.',
    );
    const silent = (Object.keys(errors) as (keyof typeof errors)[]).filter(
      (code) => errorTextOf(code) === '',
    );
    expect(silent).toEqual([]);
  });

  it('tells bounds of a resource_spec where they are', () => {
    const { properties } = components.schemas?.ResourceSpec ?? ({} as Json);
    const wrong = (field: string, value: unknown) => checkResourceSpec({ [field]: Number(value) }).length > 0;
    for (const [field, { minimum, multipleOf = 0.1 }] of Object.entries(properties ?? {})) {
      if (minimum === undefined || Number(minimum) < 0) continue;
      expect([field, wrong(field, minimum)]).toEqual([field, false]);
      expect([field, wrong(field, Number(minimum) - Number(multipleOf))]).toEqual([field, true]);
    }
    expect(properties?.memory_mb).toMatchObject({ minimum: 128, multipleOf: 128 });
    expect(wrong('memory_mb', 200)).toBe(true);
  });
});

/** What a parameter may be, by the names of the types of JSON. */
const TYPES = new Set<unknown>(['string', 'integer', 'number', 'boolean', 'array', 'object', 'null']);

describe.each(routes.map((row) => [row.operation, row] as const))('%s', (operation, row) => {
  const example = exampleOf(operation);
  const written = paths[row.path.replace('+}', '}')]?.[row.method.toLowerCase()];

  it('tells the type of each parameter', () => {
    const { parameters = [] } = (written ?? {}) as { parameters?: { name: string; schema: Json }[] };
    const untold = parameters.filter(({ schema: { type } }) => ![type].flat().every((one) => TYPES.has(one)));
    expect(untold).toEqual([]);
  });

  it.runIf(row.body !== undefined)('has an example of its body that it takes', () => {
    expect(example.body).toBeDefined();
    expect(row.body?.safeParse(example.body)).toMatchObject({ success: true });
  });

  it.runIf(row.response !== null)('has an example of its answer with every field and no other', () => {
    expect(example.response).toBeDefined();
    expect(row.response?.parse(example.response)).toEqual(example.response);
  });

  it('says how its errors look', () => {
    const { responses } = written ?? ({} as Json);
    expect(Object.keys(responses ?? {})).toEqual(expect.arrayContaining([String(row.success), '429', '500']));
    expect('401' in (responses ?? {})).toBe(row.permission !== 'public' || row.rawBody !== undefined);
    expect('422' in (responses ?? {})).toBe([row.params, row.query, row.body].some(Boolean));
  });
});
