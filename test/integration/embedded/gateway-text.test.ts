import { describe, expect, it } from 'vitest';
import { gateway } from '../../support/http/gateway.ts';

describe('texts of a request', () => {
  it('may be named like what every object of JavaScript has', async () => {
    const { url, seen } = await gateway();
    await fetch(`${url}/v2/things?__proto__=a&__proto__=b&constructor=c&toString=%2B+d&=e`);
    const query = seen[0]?.event.queryStringParameters ?? {};
    expect(Object.entries(query)).toEqual([
      ['__proto__', 'a,b'],
      ['constructor', 'c'],
      ['toString', '+ d'],
      ['', 'e'],
    ]);
  });

  it.each([
    ['ü', '%C3%BC'],
    ['100%', '100%'],
    ['%zz', '%zz'],
    ['\ud800', '%ED%A0%80'],
    ['ü\udfff!', '%C3%BC%ed%bf%bf!'],
  ])('read %j of %s', async (text, encoded) => {
    const { url, seen } = await gateway();
    await fetch(`${url}/v2/things/${encoded}?a=${encoded}`);
    const { pathParameters, queryStringParameters } = seen[0]?.event ?? {};
    expect([pathParameters, queryStringParameters]).toEqual([{ thing_id: text }, { a: text }]);
  });

  it.each([
    '/v2/things/%FF',
    '/v2/things/%E0%A4%A',
    '/v2/things?a=%C3',
    '/v2/things?%FF=a',
    '/v2/things?a=%ED%A0%BD%ED%B8%80',
  ])('that are not UTF-8 are refused: %s', async (path) => {
    const { url, seen, errors } = await gateway();
    const response = await fetch(url + path);
    const detail = 'The address contains bytes that are not UTF-8; send text in UTF-8.';
    expect([response.status, await response.json(), seen, errors]).toEqual([
      400,
      { detail, code: 'not_utf8' },
      [],
      [],
    ]);
  });

  it.each(['application/json', 'text/plain', undefined])(
    'that are not UTF-8 reach a handler as they came (%s)',
    async (type) => {
      const { url, seen } = await gateway();
      const body = new Uint8Array([0x22, 0xff, 0x22]);
      const headers = type === undefined ? {} : { 'content-type': type };
      await fetch(`${url}/v2/things`, { method: 'POST', headers, body });
      expect(seen[0]?.event).toMatchObject({
        isBase64Encoded: true,
        body: Buffer.from(body).toString('base64'),
      });
    },
  );
});
