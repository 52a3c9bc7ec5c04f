import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { parsePart } from '../../../lib/contract/validation/parse-part.ts';

const items = (schema: z.ZodType, value: unknown) => parsePart('body', schema, value).items ?? [];

describe('the words of a validation answer', () => {
  it.each<[z.ZodType, unknown, string, string, unknown]>([
    [z.string(), 1, 'string_type', 'Input should be a valid string', undefined],
    [z.string(), null, 'string_type', 'Input should be a valid string', undefined],
    [z.int(), 'x', 'int_type', 'Input should be a valid integer', undefined],
    [
      z.int(),
      1.5,
      'int_from_float',
      'Input should be a valid integer, got a number with a fractional part',
      undefined,
    ],
    [z.number(), 'x', 'float_type', 'Input should be a valid number', undefined],
    [z.boolean(), 0, 'bool_type', 'Input should be a valid boolean', undefined],
    [z.array(z.string()), {}, 'list_type', 'Input should be a valid list', undefined],
    [z.object({}), [], 'dict_type', 'Input should be a valid dictionary', undefined],
    [z.guid(), 7, 'uuid_type', 'UUID input should be a string, bytes or UUID object', undefined],
    [
      z.guid().toLowerCase(),
      null,
      'uuid_type',
      'UUID input should be a string, bytes or UUID object',
      undefined,
    ],
    [z.email(), 7, 'string_type', 'Input should be a valid string', undefined],
    [
      z.enum(['a', 'b', 'c']),
      'x',
      'enum',
      "Input should be 'a', 'b' or 'c'",
      { expected: "'a', 'b' or 'c'" },
    ],
    [z.literal('a'), 'x', 'literal_error', "Input should be 'a'", { expected: "'a'" }],
    [z.int().min(1), 0, 'greater_than_equal', 'Input should be greater than or equal to 1', { ge: 1 }],
    [z.int().max(9), 10, 'less_than_equal', 'Input should be less than or equal to 9', { le: 9 }],
    [z.number().gt(1), 1, 'greater_than', 'Input should be greater than 1', { gt: 1 }],
    [z.number().lt(1), 1, 'less_than', 'Input should be less than 1', { lt: 1 }],
    [z.int().multipleOf(128), 1, 'multiple_of', 'Input should be a multiple of 128', { multiple_of: 128 }],
    [z.string().min(1), '', 'string_too_short', 'String should have at least 1 character', { min_length: 1 }],
    [
      z.string().max(2),
      'abc',
      'string_too_long',
      'String should have at most 2 characters',
      { max_length: 2 },
    ],
    [
      z.string().regex(/^a/),
      'b',
      'string_pattern_mismatch',
      "String should match pattern '^a'",
      { pattern: '^a' },
    ],
    [
      z.string().regex(/^a/, 'it begins with a'),
      'b',
      'value_error',
      'Value error, it begins with a',
      undefined,
    ],
  ])('case %#', (schema, value, type, msg, ctx) => {
    expect(items(schema, value)).toEqual([
      { loc: ['body'], type, msg, input: value, ...(ctx === undefined ? {} : { ctx }) },
    ]);
  });

  it.each([
    ['x0', 'invalid character: found `x` at 1'],
    ['0😀', 'invalid character: found `😀` at 2'],
    ['0\ud83d', 'invalid character: found `\ufffd` at 2'],
    ['', 'invalid length: expected length 36, found 0'],
    ['0123', 'invalid length: expected length 36, found 4'],
    ['01-23', 'invalid group count: expected 5, found 2'],
    ['0190a000-0000-7000-800-00000000000a', 'invalid group length in group 3: expected 4, found 3'],
  ])('says why %j is no id', (input, error) => {
    const msg = `Input should be a valid UUID, ${error}`;
    expect(items(z.guid(), input)).toEqual([
      { loc: ['body'], type: 'uuid_parsing', msg, input, ctx: { error } },
    ]);
  });

  it('says how a deployment is found whose name stands where its id belongs', () => {
    const found = (part: 'path' | 'body', field: string, value: string) =>
      parsePart(part, z.object({ [field]: z.guid() }), { [field]: value }).items?.[0];
    const wayOut =
      /^Input should be a valid UUID, .*; a name is found with GET \/v2\/deployments\?name=my-agent$/;
    expect(found('path', 'deployment_id', 'my-agent')).toMatchObject({
      type: 'uuid_parsing',
      msg: expect.stringMatching(wayOut),
    });
    for (const [part, field, value] of [
      ['path', 'deployment_id', 'My agent'],
      ['path', 'listener_id', 'my-agent'],
      ['body', 'deployment_id', 'my-agent'],
    ] as const)
      expect(found(part, field, value)?.msg).not.toContain('?name=');
  });

  it('says lengths of lists', () => {
    expect(items(z.array(z.int()).max(1), [1, 2])).toMatchObject([
      {
        type: 'too_long',
        msg: 'List should have at most 1 item after validation, not 2',
        ctx: { field_type: 'List', max_length: 1, actual_length: 2 },
      },
    ]);
  });

  it('names what is missing without an input', () => {
    expect(items(z.object({ a: z.string(), b: z.enum(['x']), c: z.guid() }), {})).toEqual(
      ['a', 'b', 'c'].map((field) => ({ loc: ['body', field], type: 'missing', msg: 'Field required' })),
    );
  });

  it('tells one problem a place, the first', () => {
    expect(items(z.string().min(3).regex(/^a/), 'b')).toHaveLength(1);
  });

  it('leaves out what is large, deep or could hold a secret', () => {
    const [large, deep] = ['x'.repeat(5000), JSON.parse(`${'['.repeat(9000)}${']'.repeat(9000)}`)];
    for (const value of [large, deep, { secrets: ['x'] }]) {
      expect(items(z.int(), value)[0]).not.toHaveProperty('input');
    }
    expect(items(z.int(), { a: 1 })[0]).toHaveProperty('input', { a: 1 });
  });
});
