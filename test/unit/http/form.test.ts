import { expect, it } from 'vitest';
import { ValidationError } from '../../../lib/contract/errors.ts';
import { formAsJson } from '../../../lib/http/form.ts';
import { apiEvent } from '../../support/http/event.ts';

const FORM = 'application/x-www-form-urlencoded; charset=UTF-8';

/** What the step makes of a body of this type. */
async function made(body: string, type = FORM): Promise<unknown> {
  const event = apiEvent({ method: 'POST', path: '/v2/token', headers: { 'content-type': type }, body });
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the step reads the event alone
  await formAsJson.before?.({ event } as never);
  return [event.headers['content-type'], event.body];
}

it('a form is the object of its fields; empty ones are absent, and names are names', async () => {
  expect(await made('a=1&b=&c=%C3%A4+%2B&__proto__=x')).toEqual([
    'application/json',
    '{"a":"1","c":"ä +","__proto__":"x"}',
  ]);
  expect(await made('{"a":1}', 'application/json')).toEqual(['application/json', '{"a":1}']);
});

it('a form with a field twice is refused, which is found in one pass', async () => {
  const many = Array.from({ length: 12_000 }, (_, n) => n.toString(36)).join('&');
  expect(await made(many)).toEqual(['application/json', '{}']);
  const refused: unknown = await made(`${many}&a&a=1`).catch((error: unknown) => error);
  expect(refused).toBeInstanceOf(ValidationError);
  expect(refused).toMatchObject({ items: [{ loc: ['body', 'a'] }] });
});
