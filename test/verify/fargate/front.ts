import { DescribeLoadBalancersCommand } from '@aws-sdk/client-elastic-load-balancing-v2';
import type { Ask } from '../../../lib/cli/first-agent/front.ts';
import { AGENT_HEADER } from '../../../lib/contract/agent-front.ts';
import { openGateway } from '../../support/aws/gateway.ts';
import type { Environment } from '../environment.ts';
import type { Report } from '../report.ts';
import type { Reach } from '../switch.ts';
import { agentsNameOf } from './parts.ts';

/** How agents on Fargate are reached. */
export type Front = {
  ask: Reach;
  /** The same as `first-agent` does it. */
  hear: Ask;
  close(): Promise<void>;
};

/** CloudFront takes half a minute to say that it does not reach what is behind it. */
const HEARD_TIMEOUT_MS = 45_000;

/** Where an agent answers: its name, and what its server sees. */
const AGENT_PATH = /^\/d\/([^/]+\/[^/]+)(\/.*)?$/;

/** Reaches agents at their own addresses; on an emulator at the balancer, as CloudFront would ask it. */
export async function openFront({ account, name }: Environment, report: Report): Promise<Front> {
  const frontOf = (ask: Reach, close: Front['close']): Front => {
    const hear: Ask = async (url) => {
      const answer = await ask(url, { signal: AbortSignal.timeout(HEARD_TIMEOUT_MS) });
      return { status: answer.status, body: await answer.text() };
    };
    return { ask, hear, close };
  };
  if (!account.isEmulated) return frontOf(fetch, async () => {});
  report.notSee('CloudFront: an emulator leads it nowhere, and the balancer behind it was asked');
  const named = new DescribeLoadBalancersCommand({ Names: [agentsNameOf(name)] });
  const { LoadBalancers = [] } = await account.clients.balancers.send(named);
  const { port } = new URL(process.env.AWS_ENDPOINT_URL ?? '');
  const { baseUrl, close } = await openGateway(`http://${LoadBalancers[0]?.DNSName}:${port}`);
  const ask: Reach = (url, init = {}) => {
    const { pathname, search } = new URL(url);
    const [, agent = '', path = '/'] = AGENT_PATH.exec(pathname) ?? [];
    const headers = new Headers(init.headers);
    headers.set(AGENT_HEADER, agent);
    return fetch(baseUrl + path + search, { ...init, headers });
  };
  return frontOf(ask, close);
}
