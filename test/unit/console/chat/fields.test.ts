import { expect, it } from 'vitest';
import { fieldsOf, filled, initialOf } from '../../../../console/logic/chat/fields.ts';

/** As Pydantic writes it. */
const schema = {
  type: 'object',
  $defs: { Tone: { enum: ['kind', 'plain'], type: 'string' } },
  properties: {
    text: { title: 'Text', type: 'string', description: 'What is said' },
    times: { type: 'integer', default: 2 },
    tone: { anyOf: [{ $ref: '#/$defs/Tone' }, { type: 'null' }], default: null },
    loud_voice: { type: 'boolean' },
    extra: { type: 'object' },
    either: { anyOf: [{ type: 'string' }, { type: 'number' }] },
    maybe: { type: ['string', 'null'] },
  },
  required: ['text', 'extra'],
};
const fields = fieldsOf(schema) ?? [];

it('a schema is a form: what is chosen, what is optional, and what begins with a value', () => {
  expect(fields.map(({ label, kind, isRequired, initial }) => [label, kind, isRequired, initial])).toEqual([
    ['Text', 'text', true, ''],
    ['Times', 'number', false, '2'],
    ['Tone', 'choice', false, ''],
    ['Loud voice', 'yes-no', false, ''],
    ['Extra', 'json', true, ''],
    ['Either', 'json', false, ''],
    ['Maybe', 'text', false, ''],
  ]);
  expect(fields[2]?.options).toEqual(['kind', 'plain']);
});

it('what is typed becomes a value, without what was left empty', () => {
  const typed = { ...initialOf(fields), text: 'hi', tone: 'kind', loud_voice: 'true', extra: '{"a": [1]}' };
  expect(filled(fields, typed)).toEqual({
    value: { text: 'hi', times: 2, tone: 'kind', loud_voice: true, extra: { a: [1] } },
    problems: {},
  });
});

it('what is wrong is said by field', () => {
  const { problems } = filled(fields, { text: 'a', times: '1.5', extra: '{', either: '' });
  expect(problems).toEqual({
    times: 'Times is a whole number.',
    extra: expect.stringMatching(/^Extra is not valid JSON\. /) as string,
  });
  expect(filled(fields, { times: 'x', extra: '' }).problems).toEqual({
    text: 'Text is needed.',
    times: 'Times is a number, such as 12.5.',
    extra: 'Extra is needed.',
  });
});

it('a schema that describes no object, points nowhere or at itself has no fields', () => {
  const loop = { $ref: '#/$defs/A', $defs: { A: { $ref: '#/$defs/A' } } };
  for (const each of [undefined, true, { type: 'string' }, { $ref: '#/nowhere' }, { $ref: 'http://x' }, loop])
    expect(fieldsOf(each)).toBeUndefined();
  expect(fieldsOf({ properties: { self: { $ref: '#' } } })).toMatchObject([{ name: 'self', kind: 'json' }]);
});
