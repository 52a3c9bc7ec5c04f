import { runInNewContext } from 'node:vm';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createEcsCompute } from '../../../lib/adapters/aws/ecs/compute.ts';
import { AGENT_HEADER, agentValue, PREFIX_HEADER, TRIAL_HEADER } from '../../../lib/contract/agent-front.ts';
import { deploymentName } from '../../../lib/contract/deployments/requests.ts';
import { frontFunction } from '../../../lib/infra/agents/front-function.ts';
import { options } from '../../support/aws/ecs-account.ts';

type Headers = Record<string, { value: string }>;
type Answer = { uri: string; headers: Headers; statusCode?: number; body?: string };

/** What CloudFront makes of a request: another request, or an answer. */
function front(uri: string, headers: Headers = {}): Answer {
  const event = { request: { method: 'GET', uri, headers: { ...headers }, querystring: {} } };
  // The function's own file ends with its declaration.
  return runInNewContext(`${frontFunction()}; handler(event)`, { event }) as Answer;
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
