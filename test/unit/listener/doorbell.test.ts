import { expect, it } from 'vitest';
import { addressOf } from '../../../lib/listener/doorbell.ts';

const base = 'https://slipway.example/api-host/v2/listeners/1';

it.each([
  ['wss://bell.example/live?a=b', base, 'wss://bell.example/live?a=b'],
  ['doorbell?instance_id=x', base, 'wss://slipway.example/api-host/v2/listeners/1/doorbell?instance_id=x'],
  ['doorbell', 'http://localhost:4400/v2/listeners/1', 'ws://localhost:4400/v2/listeners/1/doorbell'],
  ['wss://bell.example', 'http://localhost:4400/v2/listeners/1', 'wss://bell.example/'],
  // With what stands behind # no socket can be opened.
  ['wss://bell.example/live?a=b#c', base, 'wss://bell.example/live?a=b'],
])('a doorbell at %s, of a listener at %s, is opened at %s', (url, at, expected) => {
  expect(addressOf(url, at)).toBe(expected);
});

it.each(['ws://bell.example/live', 'http://bell.example', 'file:///etc/passwd', 'https://['])(
  'no key is sent to %s by who reaches the control plane over TLS',
  (url) => {
    expect(addressOf(url, base)).toBeUndefined();
  },
);
