import { describe, expect, it } from 'vitest';
import {
  type AddressRules,
  addressProblem,
  hostProblem,
  mayReach,
} from '../../../lib/adapters/outbound/addresses.ts';

const strict: AddressRules = { allowedHosts: [], loopback: false };
const atHome: AddressRules = { allowedHosts: ['git.corp.example', '10.1.2.3'], loopback: true };
const https = (host: string) => new URL(`https://${host}/`);
const reach = (address: string, rules = strict, host = 'git.example') =>
  mayReach(https(host), address, rules);

describe('an address', () => {
  it.each(['93.184.216.34', '1.1.1.1', '172.32.0.1', '100.128.0.1', '2606:4700::1111', '2a00:1450::1'])(
    'is public: %s',
    (address) => {
      expect(reach(address)).toBe(true);
    },
  );

  it.each([
    ['this network', '0.0.0.0'],
    ['private', '10.0.0.1'],
    ['private', '172.16.0.1'],
    ['private', '172.31.255.255'],
    ['private', '192.168.1.1'],
    ['shared by carriers', '100.64.0.1'],
    ['loopback', '127.0.0.1'],
    ['link-local', '169.254.1.1'],
    ['metadata', '169.254.169.254'],
    ['credentials of containers', '169.254.170.2'],
    ['for protocols', '192.0.0.8'],
    ['for documentation', '203.0.113.9'],
    ['for benchmarks', '198.19.0.1'],
    ['multicast', '224.0.0.1'],
    ['reserved', '240.0.0.1'],
    ['broadcast', '255.255.255.255'],
    ['unspecified', '::'],
    ['loopback', '::1'],
    ['IPv4 in IPv6', '::ffff:10.0.0.1'],
    ['IPv4 in IPv6, though public', '::ffff:93.184.216.34'],
    ['IPv4 in IPv6, written in hex', '::ffff:a9fe:a9fe'],
    ['IPv4 in IPv6, of old', '::10.0.0.1'],
    ['IPv4 behind a translator', '64:ff9b::a00:1'],
    ['unique local', 'fd00:ec2::254'],
    ['link-local', 'fe80::1'],
    ['multicast', 'ff02::1'],
    ['for documentation', '2001:db8::1'],
    ['Teredo', '2001:0:4136:e378:8000:63bf:3fff:fdd2'],
    ['6to4 of a private one', '2002:a00:1::'],
  ])('is not public, %s: %s', (_, address) => {
    expect(reach(address)).toBe(false);
  });

  it('of this machine may be reached where that is allowed, and by plain http alone', () => {
    for (const address of ['127.0.0.1', '127.9.9.9', '::1']) {
      expect(reach(address, atHome)).toBe(true);
      expect(mayReach(new URL('http://x/'), address, atHome)).toBe(true);
      expect(mayReach(new URL('http://x/'), address, strict)).toBe(false);
    }
    expect(mayReach(new URL('http://x/'), '93.184.216.34', atHome)).toBe(false);
    expect(reach('10.0.0.1', atHome)).toBe(false);
  });

  it('may be any of a host that the operator allows, however the host is written', () => {
    for (const host of ['git.corp.example', 'GIT.corp.example', 'git.corp.example.', 'git.corp.example:8443'])
      expect([host, reach('10.0.0.1', atHome, host)]).toEqual([host, true]);
    expect(reach('10.0.0.1', atHome, 'evil-git.corp.example')).toBe(false);
  });
});

describe('a host', () => {
  it.each([
    '10.0.0.1',
    '127.1',
    '2130706433',
    '0x7f000001',
    '0177.0.0.1',
    '169.254.169.254',
    '[::1]',
    '[::ffff:169.254.169.254]',
    '[fd00:ec2::254]',
    'localhost',
    'LOCALHOST.',
    'api.localhost',
  ])('that is an address by itself is judged as that: %s', (host) => {
    expect(hostProblem(https(host), strict)).toMatch(/has no public address/);
  });

  it.each(['git.example', '93.184.216.34', '[2606:4700::1111]', 'localhost.example'])(
    'that may turn out to be public is not refused before it is resolved: %s',
    (host) => {
      expect(hostProblem(https(host), strict)).toBeUndefined();
    },
  );

  it('of this machine, or one that the operator allows, is none to refuse', () => {
    for (const host of ['localhost', '127.0.0.1', '[::1]', '10.1.2.3'])
      expect([host, hostProblem(https(host), atHome)]).toEqual([host, undefined]);
  });
});

describe('plain http', () => {
  const problem = (url: string, rules: AddressRules) => addressProblem(new URL(url), rules);

  it('is for this machine alone, where that is allowed', () => {
    for (const host of ['localhost', 'a.localhost', '127.0.0.1', '127.1', '[::1]', 'LOCALHOST.']) {
      expect(problem(`http://${host}:8080/x`, atHome)).toBeUndefined();
      expect(problem(`http://${host}:8080/x`, strict)).toBe('only https is spoken here');
    }
    for (const host of [
      'hooks.example',
      'git.corp.example',
      '10.1.2.3',
      '93.184.216.34',
      '[::ffff:7f00:1]',
    ]) {
      expect(problem(`http://${host}/`, atHome)).toMatch(/^plain http goes to this very machine only/);
      expect(problem(`http://${host}/`, strict)).toBe('only https is spoken here');
    }
    expect(problem('https://hooks.example/', strict)).toBeUndefined();
    expect(problem('ftp://localhost/', atHome)).toBe('only https is spoken here');
  });
});
