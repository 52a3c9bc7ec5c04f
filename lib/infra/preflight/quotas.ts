import {
  GetAWSDefaultServiceQuotaCommand,
  GetServiceQuotaCommand,
  NoSuchResourceException,
  paginateListServiceQuotas,
  type ServiceQuotasClient,
} from '@aws-sdk/client-service-quotas';
import type { Question } from './check.ts';

/** A virtual processor less, and not even one server of the default size fits beside one that it replaces. */
const FARGATE_VCPU_MIN = 1;
/** Twelve servers of the default size: what a new account has. */
const FARGATE_VCPU_FEW = 6;
const FARGATE_VCPU = 'L-3032A538';
const VPCS = 'L-F678F1CE';

/** As CodeBuild calls its machines in the names of quotas. */
const machines: Readonly<Record<string, string>> = {
  small: 'Linux/Small',
  medium: 'Linux/Medium',
  large: 'Linux/Large',
  xlarge: 'Linux/XLarge',
};

/** Where a quota is raised. */
const raise = (service: string, name: string): string =>
  `raise '${name}' in Service Quotas, ${service}, in this region; until then`;

/** How many builds of the installation's machines may run at once. */
export function buildQuestion(client: ServiceQuotasClient, buildCompute: string, atOnce: number): Question {
  const machine = machines[buildCompute] ?? buildCompute;
  const name = `Concurrently running builds for ${machine} environment`;
  return {
    what: `CodeBuild, builds at once (${machine})`,
    needed: `1, better ${atOnce}`,
    ask: async () => {
      const value = await quotaNamed(client, 'codebuild', name);
      if (value === undefined)
        return { state: 'unknown', there: 'not known', advice: `Service Quotas has no '${name}'` };
      const there = String(value);
      if (value < 1)
        return {
          state: 'lack',
          there,
          advice: `nothing can be built: ${raise('AWS CodeBuild', name)} deploys need images or SLIPWAY_PREFLIGHT=off`,
        };
      return value < atOnce
        ? { state: 'low', there, advice: `${raise('AWS CodeBuild', name)} more builds wait` }
        : { state: 'ok', there };
    },
  };
}

/** How many processors servers of agents may have in all. */
export const vcpuQuestion = (client: ServiceQuotasClient): Question => ({
  what: 'Fargate, On-Demand vCPU',
  needed: `${FARGATE_VCPU_MIN}, better more than ${FARGATE_VCPU_FEW}`,
  ask: async () => {
    const value = await quotaOf(client, 'fargate', FARGATE_VCPU);
    const name = 'Fargate On-Demand vCPU resource count';
    const there = String(value);
    if (value < FARGATE_VCPU_MIN)
      return {
        state: 'lack',
        there,
        advice: `no agent can start: ${raise('AWS Fargate', name)} deploy without compute=fargate`,
      };
    return value <= FARGATE_VCPU_FEW
      ? {
          state: 'low',
          there,
          advice: `${raise('AWS Fargate', name)} some ${2 * value} servers of 0.5 vCPU run at once`,
        }
      : { state: 'ok', there };
  },
});

/** Whether the region takes one more network. */
export const vpcQuestion = (client: ServiceQuotasClient, count: () => Promise<number>): Question => ({
  what: 'VPCs of the region',
  needed: '1 more',
  ask: async () => {
    const [used, limit] = await Promise.all([count(), quotaOf(client, 'vpc', VPCS)]);
    const there = `${used} of ${limit} in use`;
    if (used < limit) return { state: 'ok', there };
    return {
      state: 'lack',
      there,
      advice: `${raise('Amazon VPC', 'VPCs per Region')} delete one that is not used, or give one with agentVpcId, agentSubnets and balancerSubnets`,
    };
  },
});

/** The account's own value, or what AWS gives to every account. */
async function quotaOf(client: ServiceQuotasClient, service: string, code: string): Promise<number> {
  const asked = { ServiceCode: service, QuotaCode: code };
  const { Quota } = await client.send(new GetServiceQuotaCommand(asked)).catch((error: unknown) => {
    if (error instanceof NoSuchResourceException)
      return client.send(new GetAWSDefaultServiceQuotaCommand(asked));
    throw error;
  });
  if (Quota?.Value === undefined) throw new Error(`Service Quotas gives no value of ${service} ${code}`);
  return Quota.Value;
}

async function quotaNamed(
  client: ServiceQuotasClient,
  service: string,
  name: string,
): Promise<number | undefined> {
  for await (const { Quotas = [] } of paginateListServiceQuotas({ client }, { ServiceCode: service })) {
    const found = Quotas.find(({ QuotaName }) => QuotaName === name);
    if (found !== undefined) return found.Value;
  }
  return undefined;
}
