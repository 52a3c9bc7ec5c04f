import type * as z from 'zod';
import { agentRows } from '../../settings/aws-agents.ts';
import type { schemasOf } from '../../settings/row.ts';
import { rangeProblem } from './allowed-addresses.ts';
import { FUNCTION_BYTES_MAX, frontFunction } from './front-function.ts';

type AgentSettings = z.output<z.ZodObject<ReturnType<typeof schemasOf<typeof agentRows>>>>;
type Related = AgentSettings & { compute?: string | undefined; domainName?: string | undefined };

/** What is wrong with the addresses that may ask agents; undefined: nothing. */
export function allowedCidrsProblem(ranges: readonly string[]): string | undefined {
  if (ranges.length === 0) return 'no range of addresses: leave the setting out to let anybody ask';
  const wrong = ranges.map(rangeProblem).find((one) => one !== undefined);
  return wrong ?? lengthProblem(ranges);
}

/** Ranges are part of a function of CloudFront, which has little room. */
function lengthProblem(ranges: readonly string[]): string | undefined {
  // Longer than any domain that may come beside them.
  const agentsDomain = `${'a'.repeat(63)}.`.repeat(3);
  const fits = (count: number) =>
    Buffer.byteLength(frontFunction({ agentsDomain, agentAllowedCidrs: ranges.slice(0, count) })) <=
    FUNCTION_BYTES_MAX;
  if (fits(ranges.length)) return undefined;
  const room = ranges.findIndex((_, index) => !fits(index + 1));
  return `${ranges.length} ranges, and the function of CloudFront has room for the first ${room}. Join neighbours to larger ranges, or give agentWebAclArn: a set of addresses in AWS WAF holds 10,000`;
}

/** What is wrong with these settings together; undefined: nothing. */
export function agentSettingsProblem(given: Related): string | undefined {
  const { agentNetwork, compute, domainName } = given;
  const named = Object.entries(given).flatMap(([name, value]) =>
    name in agentRows && name !== 'agentNetwork' && value !== undefined ? [name] : [],
  );
  const first = agentNetwork === 'public' ? named[0] : 'agentNetwork';
  if (compute === undefined && first !== undefined) return `${first} goes with compute=fargate`;
  return networkProblemOf(given) ?? domainProblem(given, domainName);
}

function networkProblemOf(given: AgentSettings): string | undefined {
  const { agentVpcId, agentSubnets, balancerSubnets, agentCidr, agentZones } = given;
  const together = [agentVpcId, agentSubnets, balancerSubnets];
  const count = together.filter((one) => one !== undefined).length;
  if (count === 0) return undefined;
  if (count < together.length) return 'agentVpcId, agentSubnets and balancerSubnets go together';
  if (agentCidr !== undefined || agentZones !== undefined)
    return 'agentCidr and agentZones are for a network that is made: they do not go with agentVpcId';
  const shared = agentSubnets?.find((id) => balancerSubnets?.includes(id));
  if (shared !== undefined)
    return `${shared} is among agentSubnets and balancerSubnets: a server there could reach the balancer past the front. Give each subnets of their own`;
  return undefined;
}

function domainProblem(
  { agentsDomain, agentsCertificateArn }: AgentSettings,
  domainName: string | undefined,
): string | undefined {
  if ((agentsDomain === undefined) !== (agentsCertificateArn === undefined))
    return 'agentsDomain and agentsCertificateArn go together';
  if (agentsDomain !== undefined && `.${domainName}`.endsWith(`.${agentsDomain}`))
    return `domainName ${domainName} lies in agentsDomain: any agent could set cookies for the API. Give agents a domain of their own`;
  return undefined;
}
