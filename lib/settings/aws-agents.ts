import { isIPv4 } from 'node:net';
import * as z from 'zod';
import type { Rows } from './row.ts';
import { listed } from './values.ts';

/** An IPv4 network, such as `10.42.0.0/16`, as an address and a length. */
const CIDR = /^(\d{1,3}(?:\.\d{1,3}){3})\/(\d{1,2})$/;
const NETWORK_BITS_MIN = 16;
const NETWORK_BITS_MAX = 22;

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

/** What ids of EC2 end with: older ones have 8 digits. */
const ID = '(?:[0-9a-f]{8}|[0-9a-f]{17})';
const twoSubnets = z
  .string()
  .regex(new RegExp(`^subnet-${ID},subnet-${ID}$`), 'two ids of subnets, separated by a comma')
  .transform((ids) => ids.split(','))
  .refine(([one, other]) => one !== other, 'two different subnets');

/** Settings of where the installation runs agents itself: they go with `compute`. */
export const agentRows = {
  agentNetwork: {
    does: 'how servers of agents reach the outside: over a public address each (`public`) or over one NAT gateway (`nat`); in a network of your own `nat` makes none, and only leaves the addresses out. Needs `compute`',
    schema: z.enum(['public', 'nat']).default('public'),
  },
  agentZones: {
    does: 'the two zones that agents run in, such as `us-east-1b,us-east-1c`. [The first deploy chooses them](fargate.md#zones). Needs `compute`',
    defaultShown: 'the first two that CloudFront reaches',
    schema: z
      .string()
      .regex(/^[a-z0-9-]+[a-z],[a-z0-9-]+[a-z]$/, 'two zones, separated by a comma')
      .transform((zones) => zones.split(','))
      .optional(),
  },
  agentCidr: {
    does: 'addresses of the network that is made for agents, from /16 to /22. See [A network of your own](fargate.md#a-network-of-your-own). Needs `compute`',
    defaultShown: '`10.42.0.0/16`',
    schema: z
      .string()
      .superRefine((text, context) => {
        const problem = networkProblem(text);
        if (problem !== undefined) context.addIssue(problem);
      })
      .optional(),
  },
  agentVpcId: {
    does: 'a network that agents run in, instead of one that is made. Goes with the next two, and without `agentCidr` and `agentZones`. Needs `compute`',
    schema: z
      .string()
      .regex(new RegExp(`^vpc-${ID}$`), 'the id of a network, such as vpc-0123456789abcdef0')
      .optional(),
  },
  agentSubnets: {
    does: 'its two subnets for servers, separated by a comma',
    schema: twoSubnets.optional(),
  },
  balancerSubnets: {
    does: 'its two subnets for the balancer: two others, in which nothing else is',
    schema: twoSubnets.optional(),
  },
  agentAllowedCidrs: {
    does: 'ranges of addresses that may ask agents, separated by commas, such as `203.0.113.0/24,2001:db8::/32`. See [Who may ask](fargate.md#who-may-ask). Needs `compute`',
    defaultShown: 'anybody',
    schema: z
      .string()
      .transform((text) => listed(text))
      .optional(),
  },
  agentWebAclArn: {
    does: 'ARN of a web ACL of AWS WAF in front of agents, with the scope `CLOUDFRONT`. Needs `compute`',
    schema: z
      .string()
      .regex(
        /^arn:[^:]+:wafv2:us-east-1:\d{12}:global\/webacl\/[^/]+\/[^/]+$/,
        'the ARN of a web ACL whose scope is CLOUDFRONT: those lie in us-east-1',
      )
      .optional(),
  },
  agentsDomain: {
    does: 'domain under which each agent has a host, such as `agents.example.com`. See [A domain of your own](fargate.md#a-domain-of-your-own). Needs `compute` and `agentsCertificateArn`',
    schema: z
      .string()
      .max(189, 'at most 189 characters: the label of an agent has 63 more')
      .regex(
        /^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z][a-z0-9-]*[a-z0-9]$/,
        'a domain such as agents.example.com, in lower case and without *.',
      )
      .optional(),
  },
  agentsCertificateArn: {
    does: 'a certificate for `*.` and that domain, in us-east-1',
    schema: z
      .string()
      .regex(
        /^arn:[^:]+:acm:us-east-1:\d{12}:certificate\/.+$/,
        'the ARN of a certificate in us-east-1: CloudFront takes no other',
      )
      .optional(),
  },
  agentRole: {
    does: 'ARN of a role that servers of agents have in the account, to call Bedrock, for example. It is shared by the agents of all tenants. Needs `compute`',
    schema: z
      .string()
      .regex(/^arn:[^:]+:iam::\d{12}:role\/.+$/)
      .optional(),
  },
  agentSecrets: {
    does: 'name or ARN of a Secrets Manager item whose members every agent gets as variables, such as a licence. [The agents of all tenants can read them](fargate.md#variables-of-the-installation). Needs `compute`',
    schema: z
      .string()
      .regex(
        /^(?:[\w/+=.@-]{1,512}|arn:[^:]+:secretsmanager:[^:]+:\d{12}:secret:[\w/+=.@-]+-[A-Za-z0-9]{6})$/,
        'the name of an item in Secrets Manager, or its whole ARN with the six characters at its end',
      )
      .optional(),
  },
} as const satisfies Rows;
