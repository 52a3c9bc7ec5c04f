import { DescribeLoadBalancersCommand } from '@aws-sdk/client-elastic-load-balancing-v2';
import { AGENT_HEADER } from '../../../lib/contract/agent-front.ts';
import { openGateway } from '../../support/aws/gateway.ts';
import type { Environment } from '../environment.ts';
import type { Report } from '../report.ts';
import { agentsNameOf } from './parts.ts';

/** How agents on Fargate are reached. */
export type Front = { ask(url: string): Promise<Response>; close(): Promise<void> };

/** Where an agent answers: its name, and what its server sees. */
const AGENT_PATH = /^\/d\/([^/]+\/[^/]+)(\/.*)?$/;

/** Reaches agents at their own addresses; on an emulator at the balancer, as CloudFront would ask it. */
export async function openFront({ account, name }: Environment, report: Report): Promise<Front> {
  if (!account.isEmulated) return { ask: (url) => fetch(url), close: async () => {} };
  report.notSee('CloudFront: an emulator leads it nowhere, and the balancer behind it was asked');
  const named = new DescribeLoadBalancersCommand({ Names: [agentsNameOf(name)] });
  const { LoadBalancers = [] } = await account.clients.balancers.send(named);
  const { port } = new URL(process.env.AWS_ENDPOINT_URL ?? '');
  const { baseUrl, close } = await openGateway(`http://${LoadBalancers[0]?.DNSName}:${port}`);
  const ask = (url: string) => {
    const [, agent = '', path = '/'] = AGENT_PATH.exec(new URL(url).pathname) ?? [];
    return fetch(baseUrl + path, { headers: { [AGENT_HEADER]: agent } });
  };
  return { ask, close };
}
