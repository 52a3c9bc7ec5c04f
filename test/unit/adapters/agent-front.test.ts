import { runInNewContext } from 'node:vm';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createEcsCompute } from '../../../lib/adapters/aws/ecs/compute.ts';
import { AGENT_HEADER, agentValue, PREFIX_HEADER, TRIAL_HEADER } from '../../../lib/contract/agent-front.ts';
import { deploymentName } from '../../../lib/contract/deployments/requests.ts';
import { ownRedirect } from '../../../lib/contract/own-redirects.ts';
import { answerFunction, frontFunction } from '../../../lib/infra/agents/front-function.ts';
import { options } from '../../support/aws/ecs-account.ts';

type Headers = Record<string, { value: string }>;
type Answer = { uri: string; headers: Headers; statusCode?: number; body?: string };

/** What CloudFront makes of a request: another request, or an answer. */
function front(uri: string, headers: Headers = {}): Answer {
  const event = { request: { method: 'GET', uri, headers: { ...headers }, querystring: {} } };
  // The function's own file ends with its declaration.
  return runInNewContext(`${frontFunction()}; handler(event)`, { event }) as Answer;
}

/**
 * What a redirect of a server becomes. Which of its two forms the request has then is not documented plainly.
 */
function answered(location: string, path: string, status = 302): (string | undefined)[] {
  const uri = `/d/t/a${path}`;
  const sent = { method: 'GET', uri, headers: { host: { value: 'd1.cloudfront.net' } }, querystring: {} };
  const made = front(uri, sent.headers);
  return [sent, made].map((request) => {
    const response = { statusCode: status, headers: { location: { value: location } } };
    const event = { request: structuredClone(request), response };
    const answer: { headers: Headers } = runInNewContext(`${answerFunction()}; handler(event)`, { event });
    return answer.headers.location?.value;
  });
}

const name = fc.stringMatching(/^[a-z0-9]([a-z0-9_-]{0,61}[a-z0-9])?$/);

describe('the front of all agents', () => {
  it('leads the address of each deployment to the header by which the balancer knows it', () => {
    const compute = createEcsCompute(options);
    const paths = fc.constantFrom('', '/', '/ok', '/threads/1/runs/stream', '/d/other/name');
    fc.assert(
      fc.property(name, fc.uuid(), fc.uuid(), paths, (given, tenantId, deploymentId, path) => {
        expect(deploymentName.safeParse(given).success).toBe(true);
        const address = compute.address({ tenantId, deploymentId, name: given });
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
    expect(Buffer.byteLength(answerFunction())).toBeLessThan(10_000);
    expect(Buffer.byteLength(frontFunction())).toBeLessThan(10_000);
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
