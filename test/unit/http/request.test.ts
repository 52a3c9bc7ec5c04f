import { describe, expect, it } from 'vitest';
import { baseUrl, inputOf } from '../../../lib/http/request.ts';
import { apiEvent } from '../../support/http/event.ts';

describe('the address clients reach us at', () => {
  it.each([
    ['the configured one', {}, 'https://slipway.example.com/', 'https://slipway.example.com'],
    ['the gateway’s domain', {}, undefined, 'https://api.example.com'],
    ['with its stage', { stage: 'api-host' }, '', 'https://api.example.com/api-host'],
    [
      'plain http on this machine',
      { domainName: '127.0.0.1:4400', headers: { 'x-forwarded-proto': 'http' } },
      undefined,
      'http://127.0.0.1:4400',
    ],
    [
      'never plain http, and never what the client calls us, elsewhere',
      { headers: { 'x-forwarded-proto': 'http', host: 'evil.example.com' } },
      undefined,
      'https://api.example.com',
    ],
  ])('is %s', (_, parts, configured, expected) => {
    expect(baseUrl(apiEvent(parts), configured)).toBe(expected);
  });
});

it('takes an empty header for an absent one', () => {
  const names = ['if-match', 'if-none-match', 'last-event-id', 'accept', 'accept-encoding'];
  const headers = Object.fromEntries(names.map((name, index) => [name, ' '.repeat(index % 2)]));
  expect(inputOf(apiEvent({ headers }), {}).headers).toEqual({});
  expect(inputOf(apiEvent({ headers: { 'if-match': '"1"' } }), {}).headers).toEqual({ ifMatch: '"1"' });
});
