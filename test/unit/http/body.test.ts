import { describe, expect, it } from 'vitest';
import { BODY_SIZE_BYTES_MAX, readBody } from '../../../lib/http/body.ts';
import { jsonErrorOffset } from '../../../lib/http/json-position.ts';
import { apiEvent, type EventParts } from '../../support/event.ts';

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
});
