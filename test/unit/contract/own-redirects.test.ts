import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ownRedirect, type WayIn } from '../../../lib/contract/own-redirects.ts';

const WAY: WayIn = {
  prefix: '/d/app',
  clientPath: '/d/app/a/b',
  serverPath: '/a/b',
  hosts: ['localhost:4401'],
  inner: ['127.0.0.1:50001', 'localhost:50001'],
  isSecure: false,
};

describe('a redirect to the server itself', () => {
  it.each([
    ['/there', '/d/app/there'],
    ['/', '/d/app/'],
    ['/there?a=/x#/y', '/d/app/there?a=/x#/y'],
    ['/d/apple', '/d/app/d/apple'],
    ['/d/other/x', '/d/app/d/other/x'],
    ['/../x', '/d/app/x'],
    ['/%2E%2e/x/.', '/d/app/x/'],
    ['/.//other.example', '/d/app//other.example'],
    ['\\there', '/d/app/there'],
    ['http://localhost:4401/there', '/d/app/there'],
    ['HTTP://LocalHost:4401', '/d/app/'],
    ['//localhost:4401/there', '/d/app/there'],
    ['https://localhost:4401/there', 'https://localhost:4401/d/app/there'],
    ['http://127.0.0.1:50001/there', '/d/app/there'],
    ['https://localhost:50001/there?x', '/d/app/there?x'],
    ['http://127.0.0.1:50001/d/app/there', '/d/app/there'],
    ['../../there', '/d/app/there'],
    ['../../../../there', '/d/app/there'],
    // The root of the server has nothing above it, also where that is the address again.
    ['%2E%2E/%2E%2E/app', '/d/app/app'],
  ])('of %s leads to %s', (location, expected) => {
    expect(ownRedirect(location, WAY)).toBe(expected);
  });

  it.each([
    '',
    'there',
    './there',
    '../there',
    '?next=2',
    '#part',
    '/d/app',
    '/d/app/there?x',
    'http://localhost:4401/d/app/there',
    'there?to=/x:y',
  ])('as %j stays so: it is in its place', (location) => {
    expect(ownRedirect(location, WAY)).toBe(location);
  });

  it.each([
    '//other.example/x',
    '\\\\other.example/x',
    '/\\other.example',
    'https://other.example/x',
    'http://localhost/x',
    'http://localhost:4400/x',
    'http://user@localhost:4401/x',
    'http://localhost:4401.other.example/',
    'myapp://localhost:4401/x',
    'mailto:a@b.example',
  ])('is none as %s: it leads elsewhere', (location) => {
    expect(ownRedirect(location, WAY)).toBe(location);
  });

  it('keeps a client that speaks https there, whatever its server believes', () => {
    const way = { ...WAY, hosts: ['agents.example'], isSecure: true };
    for (const host of ['agents.example', 'agents.example:443'])
      expect(ownRedirect(`https://${host}/there`, way)).toBe('/d/app/there');
    for (const host of ['agents.example', 'agents.example:80'])
      expect(ownRedirect(`http://${host}/there`, way)).toBe('/d/app/there');
  });

  it('of a path without its slash stays below it', () => {
    const way = { ...WAY, clientPath: '/d/app', serverPath: '/' };
    expect(ownRedirect('there', way)).toBe('/d/app/there');
    expect(ownRedirect('?x', way)).toBe('?x');
  });

  it('needs no change where the whole host is the server’s, but for its inner address', () => {
    const way = { ...WAY, prefix: '', clientPath: '/a/b' };
    for (const location of ['/there', 'http://localhost:4401/there', '../../there'])
      expect(ownRedirect(location, way)).toBe(location);
    expect(ownRedirect('http://127.0.0.1:50001/there', way)).toBe('/there');
    expect(ownRedirect('http://127.0.0.1:50001//other.example/x', way)).toBe('/.//other.example/x');
  });

  it('leads a browser to what the server means, and never out of the deployment', () => {
    const segment = fc.constantFrom('a', 'b', '.', '..', '%2e', '', 'd', 'app', 'x y', '%2E%2E');
    const path = fc.array(segment, { maxLength: 6 }).map((parts) => parts.join('/'));
    const start = fc.constantFrom('', '/', 'http://localhost:4401/', 'http://127.0.0.1:50001/');
    fc.assert(
      fc.property(start, path, fc.constantFrom('', '?a=..', '#/../b'), (begin, rest, tail) => {
        const location = `${begin}${rest}${tail}`;
        const client = new URL(`http://localhost:4401${WAY.clientPath}`);
        const meant = URL.parse(location, `http://localhost:4401${WAY.serverPath}`);
        if (meant === null || !['localhost:4401', '127.0.0.1:50001'].includes(meant.host)) return;
        const led = new URL(ownRedirect(location, WAY), client);
        expect(led.host).toBe('localhost:4401');
        expect(led.search + led.hash).toBe(meant.search + meant.hash);
        const isPlaced = /^\/d\/app(\/|$)/.test(meant.pathname);
        expect([`/d/app${meant.pathname}`, ...(isPlaced ? [meant.pathname] : [])]).toContain(led.pathname);
      }),
    );
  });
});
