import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { expect, it } from 'vitest';
import { freePort, isPortFree } from '../../../lib/processes/free-port.ts';

it('gives each asker a port of its own, on which nothing listens and which no connection takes', async () => {
  const ports = await Promise.all(Array.from({ length: 50 }, () => freePort()));
  expect(new Set(ports).size).toBe(50);
  // Where the system says which ones connections take.
  const [lowest = 0] = readFileSync('/proc/sys/net/ipv4/ip_local_port_range', 'utf8').split('\t').map(Number);
  expect(Math.max(...ports)).toBeLessThan(lowest);
  expect(Math.min(...ports)).toBeGreaterThan(1023);
});

it('tells a port that is taken from a free one', async () => {
  const port = await freePort();
  expect(await isPortFree(port)).toBe(true);
  const server = createServer().listen(port, '127.0.0.1');
  await once(server, 'listening');
  expect(await isPortFree(port)).toBe(false);
  server.close();
  await once(server, 'close');
  expect(await isPortFree(port)).toBe(true);
});
