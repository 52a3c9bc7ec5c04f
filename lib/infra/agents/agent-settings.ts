import { isIPv4 } from 'node:net';
import * as z from 'zod';
import { listed } from '../../contract/browser/cors.ts';
import { secretItem } from '../secret-item.ts';
import { rangeProblem } from './allowed-addresses.ts';
import { FUNCTION_BYTES_MAX, frontFunction } from './front-function.ts';

/** An IPv4 network, such as `10.42.0.0/16`, as an address and a length. */
const CIDR = /^(\d{1,3}(?:\.\d{1,3}){3})\/(\d{1,2})$/;
const NETWORK_BITS_MIN = 16;
const NETWORK_BITS_MAX = 22;

/** What ids of EC2 end with: older ones have 8 digits. */
const ID = '(?:[0-9a-f]{8}|[0-9a-f]{17})';
const twoSubnets = z
  .string()
  .regex(new RegExp(`^subnet-${ID},subnet-${ID}$`), 'two ids of subnets, separated by a comma')
  .transform((ids) => ids.split(','))
  .refine(([one, other]) => one !== other, 'two different subnets');

/** Settings of where the installation runs agents itself: they go with `compute`. */
export const agentSettings = {
  /**
   * How servers of agents reach the outside: over public addresses of their own, or over one NAT gateway.
   */
  agentNetwork: z.enum(['public', 'nat']).default('public'),
  /** The two zones that agents run in, such as `us-east-1b,us-east-1c`; absent: the first two of the region. */
  agentZones: z
    .string()
    .regex(/^[a-z0-9-]+[a-z],[a-z0-9-]+[a-z]$/, 'two zones, separated by a comma')
    .transform((zones) => zones.split(','))
    .optional(),
  /** The addresses of the network that is made for them. */
  agentCidr: z.string().superRefine(refuse(networkProblem)).optional(),
  /** A network that is there already, and in it two subnets each for servers and for the balancer. */
  agentVpcId: z
    .string()
    .regex(new RegExp(`^vpc-${ID}$`), 'the id of a network, such as vpc-0123456789abcdef0')
    .optional(),
  agentSubnets: twoSubnets.optional(),
  balancerSubnets: twoSubnets.optional(),
  /** A role that servers of agents have in the account (to call Bedrock, say). They have none unless given. */
  agentRole: z
    .string()
    .regex(/^arn:[^:]+:iam::\d{12}:role\/.+$/)
    .optional(),
  /**
   * An item of Secrets Manager: each of its members is a variable that all servers of agents get. None unless
   * given.
   */
  agentSecrets: secretItem.optional(),
  /** Ranges of addresses that may ask agents, separated by commas. Anybody may unless given. */
  agentAllowedCidrs: z
    .string()
    .transform((text) => listed(text))
    .superRefine((ranges, context) => {
      const none =
        ranges.length === 0 ? 'no range of addresses: leave the setting out to let anybody ask' : undefined;
      const wrong = ranges.map(rangeProblem).find((one) => one !== undefined);
      const problem = none ?? wrong ?? lengthProblem(ranges);
      if (problem !== undefined) context.addIssue(problem);
    })
    .optional(),
  /** A firewall (a web ACL of AWS WAF) in front of agents. */
  agentWebAclArn: z
    .string()
    .regex(
      /^arn:[^:]+:wafv2:us-east-1:\d{12}:global\/webacl\/[^/]+\/[^/]+$/,
      'the ARN of a web ACL whose scope is CLOUDFRONT: those lie in us-east-1',
    )
    .optional(),
  /** Under which each agent has a host of its own, with a certificate for `*.<domain>`. */
  agentsDomain: z
    .string()
    .max(189, 'at most 189 characters: the label of an agent has 63 more')
    .regex(
      /^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z][a-z0-9-]*[a-z0-9]$/,
      'a domain such as agents.example.com, in lower case and without *.',
    )
    .optional(),
  agentsCertificateArn: z
    .string()
    .regex(
      /^arn:[^:]+:acm:us-east-1:\d{12}:certificate\/.+$/,
      'the ARN of a certificate in us-east-1: CloudFront takes no other',
    )
    .optional(),
} as const;

type AgentSettings = z.output<z.ZodObject<typeof agentSettings>>;
type Related = AgentSettings & { compute?: string | undefined; domainName?: string | undefined };

function refuse(problemOf: (text: string) => string | undefined) {
  return (text: string, context: { addIssue(message: string): void }): void => {
    const problem = problemOf(text);
    if (problem !== undefined) context.addIssue(problem);
  };
}

/** Servers have a quarter of the network in each zone, up to /20; a balancer needs a /26 in each. */
function networkProblem(text: string): string | undefined {
  const [, address = '', length = ''] = CIDR.exec(text) ?? [];
  const bits = Number(length);
  if (!isIPv4(address)) return 'a network such as 10.42.0.0/16';
  if (bits < NETWORK_BITS_MIN || bits > NETWORK_BITS_MAX)
    return `a network from /${NETWORK_BITS_MIN}, the largest that AWS takes, to /${NETWORK_BITS_MAX}, the smallest that holds two subnets of servers and two of the balancer`;
  const number = address.split('.').reduce((sum, byte) => sum * 256 + Number(byte), 0);
  if (number % 2 ** (32 - bits) !== 0) return `${address} is not the first address of a /${bits}`;
  return undefined;
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
    name in agentSettings && name !== 'agentNetwork' && value !== undefined ? [name] : [],
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
