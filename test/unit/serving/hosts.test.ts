import { describe, expect, it } from 'vitest';
import { hostNameOf, hostsWanted, isLoopbackHost, readHosts } from '../../../lib/serving/hosts.ts';

const isServed = (authority: string): boolean => {
  const host = hostNameOf(authority);
  return host !== undefined && isLoopbackHost(host);
};

describe('a loopback host', () => {
  it.each([
    'localhost',
    'LOCALHOST:4400',
    'localhost.',
    'tenant.localhost:80',
    'a.b.LocalHost.',
    '127.0.0.1',
    '127.0.0.1:4401',
    '127.9.8.7',
    '127.1',
    '[::1]',
    '[::1]:4400',
    '[0:0:0:0:0:0:0:1]',
  ])('is %s', (authority) => expect(isServed(authority)).toBe(true));

  it.each([
    '',
    'evil.example',
    'evil.example:4400',
    'localhost.evil.example',
    'notlocalhost',
    '127.0.0.1.evil.example',
    '127.0.0.1.nip.io',
    '127.evil.example',
    'evil.example#.localhost',
    'evil.example/.localhost',
    'evil.example?.localhost',
    'localhost@evil.example',
    'evil.example\\.localhost',
    'evil.example, localhost',
    'evil.example localhost',
    'localhost:80:80',
    '0.0.0.0',
    '10.0.0.1',
    '[::]',
    '[::ffff:127.0.0.1]',
    '[fe80::1]',
    '1.2.3.4.5',
    'é.localhost',
  ])('is not %j', (authority) => expect(isServed(authority)).toBe(false));
});

describe('a list of hosts', () => {
  it('has one spelling for each, without ports', () => {
    const { hosts, wrong } = readHosts(' Slipway.Example:8443, agents.example., ,10.1,[2001:DB8::0:1] ');
    expect(hosts).toEqual(['slipway.example', 'agents.example', '10.0.0.1', '[2001:db8::1]']);
    expect(wrong).toEqual([]);
  });

  it('says how a name in other letters is written', () => {
    const { hosts, wrong } = readHosts('bücher.example,例え.example');
    expect(hosts).toEqual([]);
    expect(wrong.map(hostsWanted)).toEqual([
      expect.stringMatching(/in punycode, such as xn--bcher-kva\.example, not 'bücher\.example'$/),
      expect.stringMatching(/in punycode, such as xn--r8jz45g\.example, not '例え\.example'$/),
    ]);
    expect(hostsWanted('*.é.example')).toMatch(/in punycode, such as .*, not '\*\.é\.example'$/);
    expect(hostsWanted('*.c.example')).toMatch(/such as slipway\.example, not '\*\.c\.example'$/);
  });

  it('tells what is none', () => {
    expect(readHosts('https://a.example,b.example,*.c.example')).toEqual({
      hosts: ['b.example'],
      wrong: ['https://a.example', '*.c.example'],
    });
  });
});
