import { expect, it } from 'vitest';
import { banner } from '../../../lib/embedded/banner.ts';
import { databaseHost, databaseNotice } from '../../../lib/embedded/dynoxide/address.ts';

const many = (platform: NodeJS.Platform) => Array.from({ length: 300 }, () => databaseHost(platform));

it('the database gets a random loopback address on Linux, never a well-known one', () => {
  const hosts = many('linux');
  expect(new Set(hosts).size).toBeGreaterThan(290);
  for (const host of hosts) {
    const [first, ...rest] = host.split('.').map(Number);
    expect([host, first, rest.length]).toEqual([host, 127, 3]);
    expect([host, rest.every((octet) => octet >= 1 && octet <= 254)]).toEqual([host, true]);
  }
});

it('and 127.0.0.1 elsewhere, where this machine has no other', () => {
  expect(new Set([...many('darwin'), ...many('win32')])).toEqual(new Set(['127.0.0.1']));
});

it('the banner says who can reach the database', () => {
  const runtime = {
    baseUrl: 'http://a',
    agentsUrl: 'http://b',
    apiKey: 'key',
    consoleUrl: 'http://a/console/#code=c',
  };
  const of = (host: string) => banner({ ...runtime, notices: [databaseNotice(host)] }, '/data');
  expect(of(databaseHost('linux'))).toContain(
    '\n  The database has no password: web pages cannot find its address, but other users of this machine can.\n',
  );
  expect(of(databaseHost('darwin'))).toContain(
    'other users of this machine can reach it, and so can web pages that find its port.',
  );
  expect(banner({ ...runtime, notices: [] }, '/data')).not.toContain('database');
});
