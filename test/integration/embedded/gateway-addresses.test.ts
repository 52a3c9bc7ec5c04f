import { expect, it } from 'vitest';
import { gateway } from '../../support/http/gateway.ts';
import { sendLines } from '../../support/http/raw-request.ts';

/** Where a request with these headers is taken to come from. */
async function seenFrom(headers: string[], trustProxy?: boolean): Promise<(string | undefined)[]> {
  const { port, seen } = await gateway(undefined, trustProxy === undefined ? {} : { trustProxy });
  await sendLines(port, ['GET /v2/things HTTP/1.1', 'Host: localhost', ...headers, '', '']);
  const event = seen[0]?.event;
  return [event?.requestContext.http.sourceIp, event?.headers['x-forwarded-for']];
}

it('what a client says of where it comes from is not believed', async () => {
  expect(await seenFrom(['X-Forwarded-For: 203.0.113.7'])).toEqual(['127.0.0.1', '127.0.0.1']);
});

it.each([
  [['X-Forwarded-For: 203.0.113.7'], '203.0.113.7'],
  // The proxy's own word stands last, whatever the client has put before it.
  [['X-Forwarded-For: 198.51.100.1, 2001:db8::1'], '2001:db8::1'],
  [['X-Forwarded-For: 198.51.100.1', 'X-Forwarded-For: 203.0.113.7'], '203.0.113.7'],
  [['X-Forwarded-For: 198.51.100.1, unknown'], '127.0.0.1'],
  [['X-Forwarded-For:'], '127.0.0.1'],
  [[], '127.0.0.1'],
])('of what the operator’s proxy says the last counts: %j', async (headers, address) => {
  expect(await seenFrom(headers, true)).toEqual([address, address]);
});
