import { describe, expect, it } from 'vitest';
import { gateway } from '../../support/http/gateway.ts';
import { sendLines } from '../../support/http/raw-request.ts';

const statusOf = (answer: string): string => answer.slice(9, 12);

describe('hosts of the API’s port', () => {
  it.each(['localhost', 'LOCALHOST:4400', 'tenant.localhost', '127.0.0.1', '[::1]:4400', 'slipway.example'])(
    'answers for %s',
    async (host) => {
      const { port, seen } = await gateway(undefined, { publicHosts: ['slipway.example'] });
      const answer = await sendLines(port, ['GET /v2/things HTTP/1.1', `Host: ${host}`, '', '']);
      expect([statusOf(answer), seen.length]).toEqual(['200', 1]);
    },
  );

  it.each([
    ['GET', '/v2/things'],
    ['OPTIONS', '/v2/things'],
    ['PUT', '/blobs/uploads/x?expires=1&signature=x'],
    ['GET', '/nothing'],
  ])(
    'refuses %s %s for a page whose name was moved to this machine, and says what helps',
    async (method, path) => {
      const blobs: string[] = [];
      const { port, seen } = await gateway(undefined, {
        corsOrigins: ['*'],
        serveBlob: async ({ url = '' }) => blobs.push(url) < 0,
      });
      const page = ['Host: evil.example:4400', 'Origin: http://evil.example:4400'];
      const preflight = 'Access-Control-Request-Method: GET';
      const answer = await sendLines(port, [`${method} ${path} HTTP/1.1`, ...page, preflight, '', '']);
      expect(statusOf(answer)).toBe('421');
      expect(answer).toMatch(
        /\{"detail":"[^"]*'evil\.example'[^"]*SLIPWAY_PUBLIC_HOSTS[^"]*","code":"host_not_served"\}/,
      );
      expect(answer).toMatch(/x-request-id: \S{8,}/);
      expect(answer).not.toMatch(/access-control-allow/i);
      expect([seen, blobs]).toEqual([[], []]);
    },
  );

  it('refuses two hosts, and an absolute target of another host', async () => {
    const { port, seen } = await gateway();
    const ask = (target: string, ...hosts: string[]) =>
      sendLines(port, [`GET ${target} HTTP/1.1`, ...hosts.map((host) => `Host: ${host}`), '', '']);
    expect(statusOf(await ask('/v2/things', 'localhost', 'evil.example'))).toBe('400');
    expect(statusOf(await ask('http://evil.example/v2/things', 'localhost'))).toBe('400');
    expect(seen).toEqual([]);
    expect(statusOf(await ask('http://localhost/v2/things?a=1', 'localhost'))).toBe('200');
    expect(seen[0]?.event.rawPath).toBe('/v2/things');
  });
});
