import { BlockList, isIPv4 } from 'node:net';
import { runInNewContext } from 'node:vm';
import { transform } from 'esbuild';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createEcsCompute } from '../../../lib/compute/ecs/compute.ts';
import { AGENT_HEADER, agentValue, PREFIX_HEADER, TRIAL_HEADER } from '../../../lib/contract/agent-front.ts';
import { ownRedirect } from '../../../lib/contract/own-redirects.ts';
import { deploymentName } from '../../../lib/features/deployments/shape.ts';
import { prefixOf, rangeProblem } from '../../../lib/infra/agents/allowed-addresses.ts';
import {
  answerFunction,
  type FrontSettings,
  FUNCTION_BYTES_MAX,
  frontFunction,
} from '../../../lib/infra/agents/front-function.ts';
import { options } from '../../support/aws/ecs-account.ts';

type Headers = Record<string, { value: string }>;
type Answer = { uri: string; headers: Headers; statusCode?: number; body?: string };

const DOMAIN = 'agents.example.com';
const atHosts = { agentsDomain: DOMAIN };

/** What CloudFront makes of a request: another request, or an answer. */
function front(uri: string, headers: Headers = {}, settings: FrontSettings = {}, ip = '192.0.2.1'): Answer {
  const request = { method: 'GET', uri, headers: { ...headers }, querystring: {} };
  const event = { request, viewer: { ip } };
  // The function's own file ends with its declaration.
  return runInNewContext(`${frontFunction(settings)}; handler(event)`, { event }) as Answer;
}

type Redirect = { location: string; uri: string; host: string; status?: number; settings?: FrontSettings };

/**
 * What a redirect of a server becomes. Which of its two forms the request has then is not documented plainly.
 */
function redirected({ location, uri, host, status = 302, settings = {} }: Redirect): (string | undefined)[] {
  const sent = { method: 'GET', uri, headers: { host: { value: host } }, querystring: {} };
  const made = front(uri, sent.headers, settings);
  return [sent, made].map((request) => {
    const response = { statusCode: status, headers: { location: { value: location } } };
    const event = { request: structuredClone(request), response };
    const text = `${answerFunction(settings)}; handler(event)`;
    const answer: { headers: Headers } = runInNewContext(text, { event });
    return answer.headers.location?.value;
  });
}
const answered = (location: string, path: string, status = 302) =>
  redirected({ location, uri: `/d/t/a${path}`, host: 'd1.cloudfront.net', status });

const name = fc.stringMatching(/^[a-z0-9]([a-z0-9_-]{0,61}[a-z0-9])?$/);

describe('the front of all agents', () => {
  it('leads the address of each deployment to the header by which the balancer knows it', () => {
    const compute = createEcsCompute(options);
    const paths = fc.constantFrom('', '/', '/ok', '/threads/1/runs/stream', '/d/other/name');
    fc.assert(
      fc.property(name, fc.uuid(), fc.uuid(), paths, (given, tenantId, deploymentId, path) => {
        expect(deploymentName.safeParse(given).success).toBe(true);
        const address = compute({ tenantId, deploymentId, name: given }).address();
        const { pathname } = new URL(address);
        const { uri, headers } = front(`${pathname}${path}`);
        expect(uri).toBe(path === '' ? '/' : path);
        expect(headers[AGENT_HEADER]?.value).toBe(agentValue({ tenantId, name: given }));
        expect(headers[PREFIX_HEADER]?.value).toBe(pathname);
      }),
    );
  });

  it("drops a client's own headers that say where a request goes", () => {
    const own = { [AGENT_HEADER]: { value: 't/b' }, [TRIAL_HEADER]: { value: 'x' }, host: { value: 'h' } };
    const { headers } = front('/d/t/a/ok', { ...own, [PREFIX_HEADER]: { value: '/d/t/b' } });
    expect(headers).toEqual({
      host: { value: 'h' },
      [AGENT_HEADER]: { value: 't/a' },
      [PREFIX_HEADER]: { value: '/d/t/a' },
    });
  });

  it("drops a client's own words of where it came from", () => {
    const names = ['x-forwarded-for', 'x-forwarded-host', 'forwarded'];
    const claims = Object.fromEntries(names.map((each) => [each, { value: '6.6.6.6' }]));
    const { headers } = front('/d/t/a/ok', { ...claims, 'x-own': { value: '1' } });
    expect(Object.keys(headers).toSorted()).toEqual([PREFIX_HEADER, AGENT_HEADER, 'x-own'].toSorted());
  });

  it('refuses a worker whose scope would be all agents of the tenant', () => {
    const worker = { 'service-worker': { value: 'script' } };
    expect(front('/d/t/a', worker)).toMatchObject({ statusCode: 403 });
    expect(front('/d/t/a')).toMatchObject({ uri: '/' });
    expect(front('/d/t/a/', worker)).toMatchObject({ uri: '/' });
    expect(front('/d/t/a/worker.js', worker)).toMatchObject({ uri: '/worker.js' });
  });

  it('keeps a redirect of a server to itself with its agent, by the same rule as the local proxy', () => {
    const both = (location: string) => [location, location];
    expect(answered('/there?x', '/here')).toEqual(both('/d/t/a/there?x'));
    expect(answered('http://d1.cloudfront.net/there', '/here')).toEqual(both('/d/t/a/there'));
    expect(answered('https://login.example/', '/here')).toEqual(both('https://login.example/'));
    expect(answered('/d/t/a/there', '/here')).toEqual(both('/d/t/a/there'));
    const part = fc.constantFrom('/', '..', 'a', '.', '//', 'http://d1.cloudfront.net', '?', '#', '\\', ' ');
    const location = fc.array(part, { maxLength: 6 }).map((parts) => parts.join(''));
    fc.assert(
      fc.property(location, fc.constantFrom('/', '/a/b', '/d/x/y'), (given, path) => {
        const way = { prefix: '/d/t/a', serverPath: path, clientPath: `/d/t/a${path}`, inner: [] };
        const expected = ownRedirect(given, { ...way, hosts: ['d1.cloudfront.net'], isSecure: true });
        expect(answered(given, path)).toEqual(both(expected));
      }),
    );
  });

  it.each([200, 201, 304])('leaves the Location of an answer with %d as it is', (status) => {
    expect(answered('/threads/1', '/threads', status)).toEqual(['/threads/1', '/threads/1']);
  });

  it('has room in what CloudFront takes of a function', () => {
    for (const settings of [{}, atHosts]) {
      expect(Buffer.byteLength(answerFunction(settings))).toBeLessThan(FUNCTION_BYTES_MAX);
      expect(Buffer.byteLength(frontFunction(settings))).toBeLessThan(FUNCTION_BYTES_MAX);
    }
  });

  it.each([
    ['requests', frontFunction],
    ['answers', answerFunction],
  ])('uses for %s no syntax that CloudFront does not list for its runtime 2.0', async (_, made) => {
    const text = made({ agentsDomain: DOMAIN, agentAllowedCidrs: ['203.0.113.0/24', '2001:db8::/32'] });
    // ECMAScript 5.1, and these of later editions. What esbuild cannot write without others it refuses.
    const supported = {
      arrow: true,
      'const-and-let': true,
      'rest-argument': true,
      'template-literal': true,
      'exponent-operator': true,
    };
    const { code } = await transform(text, { target: 'es5', supported });
    expect(code).toBe((await transform(text, { target: 'esnext' })).code);
  });

  it.each(['/', '/ok', '/d', '/d/', '/d/t', '/d/t/', '/d/T/a', '/d/t/a%2fb', '/d/t/*', '/e/t/a'])(
    'answers %s itself, in words',
    (uri) => {
      expect(front(uri)).toMatchObject({
        statusCode: 404,
        body: expect.stringContaining('/d/<tenant>/<name>'),
      });
    },
  );
});

describe('a domain for agents', () => {
  const tenantId = '0190f3c2-7c1e-7d55-9b1a-0123456789ab';
  const compute = createEcsCompute({ ...options, domain: DOMAIN });
  const address = (given: string) => compute({ tenantId, deploymentId: 'd', name: given }).address();
  const ask = (host: string, uri = '/', headers: Headers = {}) =>
    front(uri, { host: { value: host }, ...headers }, atHosts);

  it('leads the host of each deployment to the header by which the balancer knows it, and changes no path', () => {
    const paths = fc.constantFrom('/', '/ok', '/threads/1/runs/stream', '/d/other/name');
    fc.assert(
      fc.property(name, fc.uuid(), paths, (given, tenant, path) => {
        const shown = new URL(compute({ tenantId: tenant, deploymentId: 'd', name: given }).address());
        const isAtHost = shown.hostname.endsWith(`.${DOMAIN}`);
        expect(isAtHost).toBe(given.length <= 26 && !given.includes('_'));
        if (!isAtHost) return;
        expect(shown.hostname.split('.')[0]?.length).toBeLessThanOrEqual(63);
        const { uri, headers } = ask(shown.hostname, path);
        expect(uri).toBe(path);
        expect(headers[AGENT_HEADER]?.value).toBe(agentValue({ tenantId: tenant, name: given }));
        expect(headers).not.toHaveProperty(PREFIX_HEADER);
      }),
    );
  });

  it('gives a host to names that fit a label, and leaves the others their path', () => {
    expect(address('support-agent')).toBe(`https://support-agent-${tenantId}.${DOMAIN}`);
    for (const given of ['support_agent', 'a'.repeat(27)])
      expect(address(given)).toBe(`${options.baseUrl}/d/${tenantId}/${given}`);
    expect(address('a'.repeat(26))).toContain(DOMAIN);
  });

  it('takes a host in any case, and drops what a client says of where a request goes', () => {
    const own = { [AGENT_HEADER]: { value: 't/b' }, [TRIAL_HEADER]: { value: 'x' } };
    const { headers } = ask(`A-${tenantId}.Agents.Example.com`, '/', {
      ...own,
      [PREFIX_HEADER]: { value: '/p' },
    });
    expect(Object.keys(headers)).toEqual(['host', AGENT_HEADER]);
    expect(headers[AGENT_HEADER]?.value).toBe(`${tenantId}/a`);
  });

  it.each([
    `a.${DOMAIN}`,
    `a_b-${tenantId}.${DOMAIN}`,
    `-${tenantId}.${DOMAIN}`,
    `x.a-${tenantId}.${DOMAIN}`,
    `a-${tenantId}.agentsXexample.com.${DOMAIN}`,
  ])('answers at %s itself, in words', (host) => {
    expect(ask(host, '/d/t/a/ok')).toMatchObject({
      statusCode: 404,
      body: expect.stringContaining(`https://<name>-<tenant>.${DOMAIN}`),
    });
  });

  it('still leads the paths of the front’s own host', () => {
    expect(ask('d1.cloudfront.net', '/d/t/a/ok')).toMatchObject({ uri: '/ok' });
    expect(ask(`a-${tenantId}.agentsXexample.com`, '/d/t/a/ok')).toMatchObject({ uri: '/ok' });
    const settings = atHosts;
    const kept = redirected({ location: '/there', uri: '/d/t/a/here', host: 'd1.cloudfront.net', settings });
    expect(kept).toEqual(['/d/t/a/there', '/d/t/a/there']);
  });

  it('lets a worker have the scope of its own host, and of a path no more than before', () => {
    const worker = { 'service-worker': { value: 'script' } };
    expect(ask(`a-${tenantId}.${DOMAIN}`, '/worker.js', worker)).toMatchObject({ uri: '/worker.js' });
    expect(ask('d1.cloudfront.net', '/d/t/a', worker)).toMatchObject({ statusCode: 403 });
  });

  it.each([
    ['/there?x', '/there?x'],
    ['there', 'there'],
    ['https://login.example/', 'https://login.example/'],
    // The server sees no https: a page of https may not follow there.
    [`http://a-${tenantId}.${DOMAIN}/there`, '/there'],
    [`http://a-${tenantId}.${DOMAIN}//evil.example/`, '/.//evil.example/'],
    [`http://b-${tenantId}.${DOMAIN}/`, `http://b-${tenantId}.${DOMAIN}/`],
  ])('makes of a redirect to %s one to %s', (location, expected) => {
    const host = `a-${tenantId}.${DOMAIN}`;
    const made = redirected({ location, uri: '/here', host, settings: atHosts });
    expect(made).toEqual([expected, expected]);
  });
});

describe('ranges of addresses that may ask agents', () => {
  const status = (ranges: string[], ip: string) =>
    front('/d/t/a/', {}, { agentAllowedCidrs: ranges }, ip).statusCode ?? 'let in';

  it('let in who is in one of them, and answer anybody else in words', () => {
    const ranges = ['203.0.113.0/24', '2001:db8::/32', '198.51.100.7'];
    for (const ip of ['203.0.113.255', '2001:db8:ffff::1', '198.51.100.7'])
      expect(status(ranges, ip)).toBe('let in');
    for (const ip of ['203.0.114.0', '2001:db9::', '198.51.100.8', '::1'])
      expect(status(ranges, ip)).toBe(403);
    const refused = front('/d/t/a/', {}, { agentAllowedCidrs: ranges }, '192.0.2.1');
    expect(JSON.parse(refused.body ?? '')).toEqual({ detail: 'Agents do not answer to this address.' });
  });

  it('mean what Node’s own lists of addresses mean', () => {
    const byte = fc.constantFrom(0, 1, 10, 127, 128, 203, 255);
    const ipv4 = fc.array(byte, { minLength: 4, maxLength: 4 }).map((bytes) => bytes.join('.'));
    // Those that are handed out, so that none is IPv4 in disguise.
    const group = fc.constantFrom('0', '1', 'db8', '8000', 'ffff');
    const first = fc.constantFrom('2001', '2a00', '3fff');
    const full = fc.tuple(first, fc.array(group, { minLength: 7, maxLength: 7 }));
    const short = fc.tuple(first, fc.array(group, { maxLength: 3 }), fc.array(group, { maxLength: 2 }));
    const ipv6 = fc.oneof(
      full.map(([head, tail]) => [head, ...tail].join(':')),
      short.map(([head, left, right]) => `${[head, ...left].join(':')}::${right.join(':')}`),
    );
    const range = fc.oneof(
      fc.tuple(ipv4, fc.integer({ min: 0, max: 32 })),
      fc.tuple(ipv6, fc.integer({ min: 3, max: 128 })),
    );
    const asked = fc.oneof(
      ipv4,
      ipv6,
      ipv4.map((one) => `::ffff:${one}`),
    );
    let matches = 0;
    fc.assert(
      fc.property(fc.array(range, { minLength: 1, maxLength: 3 }), asked, (ranges, ip) => {
        const list = new BlockList();
        for (const [address, bits] of ranges)
          list.addSubnet(address, bits, isIPv4(address) ? 'ipv4' : 'ipv6');
        const isListed = list.check(ip, isIPv4(ip) ? 'ipv4' : 'ipv6');
        matches += isListed ? 1 : 0;
        const written = ranges.map(([address, bits]) => `${address}/${bits}`);
        expect(written.flatMap((one) => rangeProblem(one) ?? [])).toEqual([]);
        expect(status(written, ip)).toBe(isListed ? 'let in' : 403);
      }),
    );
    expect(matches).toBeGreaterThan(0);
  });

  it.each(['::ffff:192.0.2.1', '0:0:0:0:0:ffff:c000:201'])(
    'take %s for the IPv4 address that it is',
    (ip) => {
      expect(status(['192.0.2.0/24'], ip)).toBe('let in');
      expect(rangeProblem(ip)).toMatch(/write it as IPv4/);
    },
  );

  it('lie in the function as the bits that addresses begin with', () => {
    expect(prefixOf('192.0.2.0/24')).toBe('4110000000000000000000010');
    expect(prefixOf('::/0')).toBe('6');
    expect(prefixOf('0.0.0.0/0')).toBe('4');
  });
});
