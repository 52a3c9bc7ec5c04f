import * as fc from 'fast-check';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { jsonErrorOffset } from '../../../lib/contract/validation/json-position.ts';
import { BODY_DEPTH_MAX, BODY_SIZE_BYTES_MAX, readBody } from '../../../lib/http/body.ts';
import { apiEvent, type EventParts } from '../../support/http/event.ts';

const read = (parts: EventParts) => readBody(apiEvent({ method: 'POST', ...parts }));
const withoutType = (body?: string) => {
  const { headers, ...event } = apiEvent({ method: 'POST', body });
  const { 'content-type': _, ...others } = headers;
  return { ...event, headers: others };
};

describe('the body of a request', () => {
  it.each([undefined, '', '  \n'])('is empty when it is %j', (body) => {
    expect(read({ body })).toEqual({});
    expect(read({ body, headers: { 'content-type': 'text/plain' } })).toEqual({});
  });

  it('is JSON, with or without saying so', () => {
    expect(read({ body: { a: 1 } })).toEqual({ a: 1 });
    expect(readBody(withoutType('{"a":1}'))).toEqual({ a: 1 });
    for (const type of [
      'application/json; charset=utf-8',
      'Application/JSON',
      'application/merge-patch+json',
    ]) {
      expect(read({ body: { a: 1 }, headers: { 'content-type': type } })).toEqual({ a: 1 });
    }
  });

  it('may come in base64', () => {
    const body = Buffer.from('{"a":"ü"}').toString('base64');
    expect(read({ body, isBase64Encoded: true })).toEqual({ a: 'ü' });
  });

  it.each(['text/plain', 'application/x-www-form-urlencoded', 'application/jsonp', ''])(
    'is refused as %j',
    (type) => {
      expect(() => read({ body: 'a=1', headers: { 'content-type': type } })).toThrow(
        expect.objectContaining({ code: 'media_type', status: 415 }),
      );
    },
  );

  it('is refused beyond a MiB, counted in bytes', () => {
    const filled = (sizeBytes: number) => JSON.stringify({ a: 'ü'.repeat((sizeBytes - 8) / 2) });
    expect(read({ body: filled(BODY_SIZE_BYTES_MAX) })).toHaveProperty('a');
    expect(() => read({ body: `${filled(BODY_SIZE_BYTES_MAX)} ` })).toThrow(
      expect.objectContaining({ code: 'body_too_large', status: 413 }),
    );
  });

  it('is refused when it is not UTF-8', () => {
    const body = Buffer.from([0x7b, 0xff, 0x7d]).toString('base64');
    expect(() => read({ body, isBase64Encoded: true })).toThrow(
      expect.objectContaining({ code: 'not_utf8', status: 400 }),
    );
  });

  it('says where it stops being JSON, and never what it says there', () => {
    const body = '{\n  "secret 🗝": canary\n}';
    const ctx = { error: 'not JSON at line 2 column 16' };
    const item = { loc: ['body', 16], type: 'json_invalid', msg: 'JSON decode error', ctx };
    expect(() => read({ body })).toThrow(expect.objectContaining({ items: [item] }));
  });
});

describe('a body that is made to keep the parser busy', () => {
  const parsing = () => {
    const spy = vi.spyOn(JSON, 'parse');
    onTestFinished(() => spy.mockRestore());
    return spy;
  };
  const refusalOf = (body: string): unknown => {
    try {
      return read({ body });
    } catch (error) {
      return error;
    }
  };
  const nested = (depth: number, open = '[', close = ']') => `${open.repeat(depth)}1${close.repeat(depth)}`;

  it.each([
    ['brackets and a mistake', `${'['.repeat(1_048_570)}x`, BODY_DEPTH_MAX],
    ['brackets without an end', `{"name":${'['.repeat(1_048_560)}`, 8 + BODY_DEPTH_MAX - 1],
    ['valid nesting', nested(500_000), BODY_DEPTH_MAX],
    ['valid nesting of objects', nested(150_000, '{"a":', '}'), 5 * BODY_DEPTH_MAX],
    ['one level too many', nested(BODY_DEPTH_MAX + 1), BODY_DEPTH_MAX],
  ])('is refused at the level that is too deep, without being parsed: %s', (_, body, offset) => {
    const parse = parsing();
    const error = expect.stringMatching(/^nested more than 1000 levels deep at line 1 column \d+$/);
    const item = { loc: ['body', offset], type: 'json_invalid', ctx: { error } };
    expect(refusalOf(body)).toMatchObject({ items: [item] });
    expect(parse).not.toHaveBeenCalled();
  });

  it.each([
    ['many values', `[${'1,'.repeat(500_000)}x]`, 1_000_001],
    ['a long text', `"${'a\\n'.repeat(300_000)}`, 900_001],
    ['a long number', `[${'1'.repeat(1_000_000)}.x]`, 1_000_002],
    ['much space', `${' '.repeat(1_000_000)}x`, 1_000_000],
  ])('is parsed once, wherever its mistake is: %s', (_, body, offset) => {
    const parse = parsing();
    expect(refusalOf(body)).toMatchObject({ items: [{ loc: ['body', offset], type: 'json_invalid' }] });
    expect(parse).toHaveBeenCalledTimes(1);
  });

  it('may be nested so deep as the bound says, and hold any brackets in texts', () => {
    expect(read({ body: nested(BODY_DEPTH_MAX) })).toBeInstanceOf(Array);
    expect(read({ body: { a: `\\"${'['.repeat(2000)}` } })).toHaveProperty('a');
    expect(read({ body: `[${Array(2000).fill('[{}]').join(',')}]` })).toHaveLength(2000);
  });

  it('is not JSON at its first mistake, whatever comes later', () => {
    const error = 'not JSON at line 1 column 2';
    expect(refusalOf(`[x${'['.repeat(2000)}`)).toMatchObject({ items: [{ ctx: { error } }] });
  });
});

describe('the place of a mistake in JSON', () => {
  it.each([
    ['{"a": x}', 6],
    ['hello', 0],
    ['{"a":1', 6],
    ['{"a":"b', 7],
    ['tru', 3],
    ['[1,]', 3],
    ['{"a":1}}', 7],
    ['-', 1],
    ['1e', 2],
    ['"\\u12"', 5],
    ['"\\q"', 2],
    ['{a:1}', 1],
    ['{"a":1,}', 7],
    ['{"a":truu}', 8],
  ])('of %j is %i', (text, offset) => {
    expect(jsonErrorOffset(text)).toBe(offset);
  });

  it('is found in a large text', () => {
    expect(jsonErrorOffset(`[${'1,'.repeat(300_000)}x]`)).toBe(600_001);
  });

  it('is the end of the longest beginning that the engine could still go on from', () => {
    const canGoOn = (beginning: string): boolean => {
      try {
        JSON.parse(beginning);
        return true;
      } catch (error) {
        const { message } = error as Error; // JSON.parse throws nothing else
        const at = /at position (\d+)/.exec(message)?.[1];
        return message.startsWith('Unexpected end') || Number(at) === beginning.length;
      }
    };
    const broken = fc
      .tuple(
        fc.json(),
        fc.nat(),
        fc.nat({ max: 2 }),
        fc.string({
          unit: fc.constantFrom(...'[ ] { } : , " \\ / u 0 a - 1 . e E + t f n l \n'.split(' '), ' '),
        }),
      )
      .map(([json, at, left, put]) => {
        const place = at % (json.length + 1);
        return json.slice(0, place) + put + json.slice(place + left);
      });
    fc.assert(
      fc.property(broken, (text) => {
        const offset = jsonErrorOffset(text);
        expect(canGoOn(text.slice(0, offset))).toBe(true);
        if (offset < text.length) expect(canGoOn(text.slice(0, offset + 1))).toBe(false);
      }),
      { numRuns: 2000 },
    );
  });
});
