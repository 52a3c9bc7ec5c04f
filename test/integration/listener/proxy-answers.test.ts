import { once } from 'node:events';
import { request } from 'node:http';
import { describe, expect, it } from 'vitest';
import { ownAddress } from '../../../lib/compute/process/proxy/own-address.ts';
import { sendLines } from '../../support/http/raw-request.ts';
import { serve, startProxy } from './proxy-world.ts';

type Asked = { method?: string; headers?: Record<string, string> };

/** The answer as it is, without redirects being followed. */
async function ask(port: number, path: string, { method = 'GET', headers = {} }: Asked = {}) {
  const outgoing = request({ host: '127.0.0.1', port, path, method, headers }).end();
  const [incoming] = await once(outgoing, 'response');
  incoming.resume();
  return { status: incoming.statusCode, headers: incoming.headers };
}

/** A proxy whose deployment `app` answers every request with this status and these headers. */
async function answering(status: number, headers: Record<string, string>, trustProxy = false) {
  const started = await startProxy({ trustProxy, publicHosts: ['agents.example'] });
  const { target } = await serve((_, response) => response.writeHead(status, headers).end());
  const route = started.proxy.route('app');
  route.moveTo(target);
  return { ...started, route, target };
}

describe('a redirect of a server', () => {
  it.each([300, 301, 302, 303, 307, 308])('with %d stays with the deployment', async (status) => {
    const { port } = await answering(status, { location: '/there?x#y' });
    expect((await ask(port, '/d/app/here')).headers.location).toBe('/d/app/there?x#y');
  });

  it('to the address that it was asked under stays too, and one that leads elsewhere is as it was', async () => {
    const headers = { host: 'agents.example:8443' };
    const leads = async (location: string) => {
      const { port } = await answering(302, { location });
      return (await ask(port, '/d/app/here', { headers })).headers.location;
    };
    expect(await leads('http://agents.example:8443/there')).toBe('/d/app/there');
    expect(await leads('https://login.example/there')).toBe('https://login.example/there');
    expect(await leads('//login.example/there')).toBe('//login.example/there');
    expect(await leads('/d/app/there')).toBe('/d/app/there');
    expect(await leads('there')).toBe('there');
  });

  it('to its own port leads to the deployment', async () => {
    const started = await startProxy();
    const { target } = await serve((incoming, response) => {
      response.writeHead(307, { location: `http://127.0.0.1:${incoming.socket.localPort}/there` }).end();
    });
    started.proxy.route('app').moveTo(target);
    expect((await ask(started.port, '/d/app/here')).headers.location).toBe('/d/app/there');
  });

  it('stays below what a trusted proxy has put before it', async () => {
    const headers = {
      'x-forwarded-host': 'outer.example',
      'x-forwarded-proto': 'https',
      'x-forwarded-prefix': '/outer',
    };
    const { port } = await answering(302, { location: 'http://outer.example/there' }, true);
    expect((await ask(port, '/d/app/here', { headers })).headers.location).toBe('/outer/d/app/there');
    const untrusted = await answering(302, { location: 'http://outer.example/there' });
    expect((await ask(untrusted.port, '/d/app/here', { headers })).headers.location).toBe(
      'http://outer.example/there',
    );
  });

  it('stays as it is at a host of the deployment’s own, where no path lies before it', async () => {
    const { port, route } = await answering(302, { location: '/there' });
    route.setAddress(ownAddress('https://agent.own.example'));
    const at = { headers: { host: 'agent.own.example' } };
    expect((await ask(port, '/here', at)).headers.location).toBe('/there');
    expect((await ask(port, '/d/app/here', at)).headers.location).toBe('/there');
    const named = { headers: { host: 'app.localhost' } };
    expect((await ask(port, '/here', named)).headers.location).toBe('/there');
    expect((await ask(port, '/d/app/here')).headers.location).toBe('/d/app/there');
  });

  it('instead of an upgrade stays with the deployment', async () => {
    const { port } = await answering(302, { location: '/there' });
    const upgrade = ['Connection: Upgrade', 'Upgrade: websocket', '', ''];
    const answer = await sendLines(port, ['GET /d/app/ws HTTP/1.1', 'Host: localhost', ...upgrade]);
    expect(answer).toContain('location: /d/app/there');
  });
});

describe('the Location of what is no redirect', () => {
  it.each([200, 201, 202, 304, 404])('is as the server sent it with %d', async (status) => {
    const { port } = await answering(status, { location: '/threads/1', 'content-location': '/threads/1' });
    expect((await ask(port, '/d/app/threads')).headers).toMatchObject({
      location: '/threads/1',
      'content-location': '/threads/1',
    });
  });
});

describe('what would reach past a deployment', () => {
  it.each([200, 404, 500])('is dropped from an answer with %d', async (status) => {
    const reaching = { 'Service-Worker-Allowed': '/', 'Clear-Site-Data': '"*"', 'X-Own': '1' };
    const { headers } = await ask((await answering(status, reaching)).port, '/d/app/worker.js');
    expect(headers).toMatchObject({ 'x-own': '1' });
    expect(Object.keys(headers)).not.toContain('service-worker-allowed');
    expect(Object.keys(headers)).not.toContain('clear-site-data');
  });

  it.each(['/d/app', '/d/app?v=1'])('is a worker whose script is at %s', async (path) => {
    const { port } = await answering(200, {});
    const worker = { headers: { 'service-worker': 'script' } };
    expect((await ask(port, path, worker)).status).toBe(403);
    expect((await ask(port, path)).status).toBe(200);
    expect((await ask(port, '/d/app/', worker)).status).toBe(200);
    expect((await ask(port, '/d/app/worker.js', worker)).status).toBe(200);
  });
});

const ORIGIN = 'https://chat.example';
const PREFLIGHT = {
  method: 'OPTIONS',
  headers: {
    origin: ORIGIN,
    'access-control-request-method': 'POST',
    'access-control-request-headers': 'x-api-key',
  },
};
const READABLE = {
  'access-control-allow-origin': ORIGIN,
  'access-control-expose-headers': 'Retry-After',
  vary: 'Origin',
};
const CONSENT = {
  'access-control-allow-origin': ORIGIN,
  'access-control-allow-methods': 'POST',
  'access-control-allow-headers': 'x-api-key',
};

describe("the console's page", () => {
  const API = 'http://localhost:4400';
  const page = (origin: string) => ({ headers: { origin } });

  /** A server that allows one page, with cookies, and answers no preflight. */
  async function wary() {
    const started = await startProxy({ url: API });
    const { target } = await serve((incoming, response) => {
      const allowed = {
        'access-control-allow-origin': 'https://own.example',
        'access-control-allow-credentials': 'true',
      };
      response.writeHead(incoming.method === 'OPTIONS' ? 405 : 200, { ...allowed, 'x-own': '1' }).end();
    });
    started.proxy.route('app').moveTo(target);
    return started;
  }

  it.each([API, 'http://127.0.0.1:4400'])(
    'at %s may ask any server, and read what it answers',
    async (origin) => {
      const { port } = await wary();
      const asks = { ...PREFLIGHT, headers: { ...PREFLIGHT.headers, origin } };
      expect(await ask(port, '/d/app/mcp', asks)).toMatchObject({
        status: 204,
        headers: { ...CONSENT, 'access-control-allow-origin': origin },
      });
      const { status, headers } = await ask(port, '/d/app/mcp', page(origin));
      expect([status, headers['x-own'], headers['access-control-allow-origin']]).toEqual([200, '1', origin]);
      // As a program would: whoever is signed in at the server by a cookie is not.
      expect(headers).not.toHaveProperty('access-control-allow-credentials');
      expect(headers['access-control-expose-headers']).toBe('*');
    },
  );

  it.each(['http://localhost:4401', 'https://localhost:4400', 'http://localhost.example:4400', 'null'])(
    'is none at %s: there the server says who may ask',
    async (origin) => {
      const { port } = await wary();
      const asks = { ...PREFLIGHT, headers: { ...PREFLIGHT.headers, origin } };
      expect((await ask(port, '/d/app/mcp', asks)).status).toBe(405);
      const { headers } = await ask(port, '/d/app/mcp', page(origin));
      expect(headers['access-control-allow-origin']).toBe('https://own.example');
    },
  );

  it('elsewhere is one origin alone', async () => {
    const { proxy, port } = await startProxy({ url: 'https://slipway.example/api' });
    const { target } = await serve((_, response) => response.end());
    proxy.route('app').moveTo(target);
    const { headers } = await ask(port, '/d/app/', page('https://slipway.example'));
    expect(headers['access-control-allow-origin']).toBe('https://slipway.example');
    const other = await ask(port, '/d/app/', page('http://localhost:4400'));
    expect(other.headers).not.toHaveProperty('access-control-allow-origin');
  });
});

describe('what the proxy itself says', () => {
  it('of a deployment that is not there can be read by a page that asks first', async () => {
    const { port } = await startProxy();
    expect(await ask(port, '/d/nobody/runs', PREFLIGHT)).toMatchObject({ status: 204, headers: CONSENT });
    const from = { headers: { origin: ORIGIN } };
    expect(await ask(port, '/d/nobody/runs', from)).toMatchObject({ status: 404, headers: READABLE });
    expect(await ask(port, '/', from)).toMatchObject({ status: 404, headers: READABLE });
    expect((await ask(port, '/')).headers).not.toHaveProperty('access-control-allow-origin');
  });

  /** A server that answers the first preflight so, and then hangs up on whoever asks. */
  async function hangingUp(status: number, headers: Record<string, string>) {
    const started = await startProxy();
    let asked = 0;
    const { target } = await serve((incoming, response) => {
      asked += 1;
      if (asked === 1) response.writeHead(status, headers).end();
      else incoming.socket.destroy();
    });
    const route = started.proxy.route('app');
    route.moveTo(target);
    return { ...started, route, target };
  }

  it('of a server that does not answer can be read by a page whose question it has allowed', async () => {
    const { port } = await hangingUp(204, CONSENT);
    expect(await ask(port, '/d/app/runs', PREFLIGHT)).toMatchObject({ status: 204 });
    expect(await ask(port, '/d/app/runs', PREFLIGHT)).toMatchObject({ status: 204, headers: CONSENT });
    const asking = { method: 'POST', headers: { origin: ORIGIN, 'content-length': '0' } };
    expect(await ask(port, '/d/app/runs', asking)).toMatchObject({ status: 502, headers: READABLE });
  });

  it('allows no question that the server has not allowed: it may be back when it comes', async () => {
    const { port, route, target } = await hangingUp(405, {});
    route.noteConsent(target, ORIGIN, CONSENT);
    // It allows less than it did.
    expect(await ask(port, '/d/app/runs', PREFLIGHT)).toMatchObject({ status: 405 });
    const answer = await ask(port, '/d/app/runs', PREFLIGHT);
    expect(answer).toMatchObject({ status: 502, headers: READABLE });
    expect(answer.headers).not.toHaveProperty('access-control-allow-methods');
  });

  it('forgets what a server has allowed when another takes its place', async () => {
    const { route, target } = await hangingUp(204, CONSENT);
    const next = await serve(() => undefined);
    route.noteConsent(target, ORIGIN, CONSENT);
    route.moveTo(next.target);
    expect(route.consentTo(ORIGIN)).toBeUndefined();
    // It answers late what it was asked before.
    route.noteConsent(target, ORIGIN, CONSENT);
    expect(route.consentTo(ORIGIN)).toBeUndefined();
    for (let n = 0; n < 60; n++) route.noteConsent(next.target, `https://page-${n}.example`, CONSENT);
    expect(route.consentTo('https://page-0.example')).toBeUndefined();
    expect(route.consentTo('https://page-59.example')).toEqual(CONSENT);
  });

  it('of a deployment without a server can be read, with when to ask again', async () => {
    const { port, route, target } = await hangingUp(204, CONSENT);
    route.noteConsent(target, ORIGIN, CONSENT);
    route.clear('it is being replaced');
    const answers = Promise.all([
      ask(port, '/d/app/runs', PREFLIGHT),
      ask(port, '/d/app/', { headers: { origin: ORIGIN } }),
    ]);
    const poll = setInterval(() => route.close(), 50);
    const [preflight, answer] = await answers;
    clearInterval(poll);
    expect(preflight).toMatchObject({ status: 204, headers: CONSENT });
    expect(answer).toMatchObject({ status: 503, headers: { ...READABLE, 'retry-after': '2' } });
  });
});
