// How requests find the agents that the installation runs itself: what the front of all agents writes, and
// the rules of the balancer behind it compare.

/** Which deployment a request is for, as the front says it. */
export const AGENT_HEADER = 'x-slipway-agent';
/** Reaches a set of servers before it has the traffic; the front drops a client's own. */
export const TRIAL_HEADER = 'x-slipway-trial';
/** The path of the address at which an agent answers: its server sees what comes after it. */
export const PREFIX_HEADER = 'x-forwarded-prefix';

/**
 * Headers of answers that reach past the agent that sends them: pages of all agents at an origin would be run
 * by one's worker, or lose what they have stored. They are dropped.
 */
export const OF_THE_ORIGIN = ['clear-site-data', 'service-worker-allowed'] as const;

/** What the balancer says, with 404, where no rule leads to an agent. */
export const NO_AGENT = '{"detail":"No agent answers at this address."}';

/**
 * Zones in which CloudFront reaches no balancer, by the ids that are the same in every account (AWS:
 * "Restrict access with VPC origins").
 */
export const ZONES_WITHOUT_FRONT: readonly string[] = ['use1-az3', 'usw1-az2', 'apne1-az3', 'cac1-az3'];

type Named = { tenantId: string; name: string };

/** The value of the header for a deployment, by its name in its tenant. */
export const agentValue = ({ tenantId, name }: Named): string => `${tenantId}/${name}`;

/** Where its path address begins, after the host. */
const agentPath = (named: Named): string => `/d/${agentValue(named)}`;

/**
 * The label of an agent's own host: its name, then its tenant's id. A label has at most 63 characters and no
 * `_`, and the id takes 36 of them: 26 are left for the name. A shortened name could be another agent's, so
 * one that does not fit keeps its path.
 */
export const HOST_LABEL =
  '([a-z0-9](?:[a-z0-9-]{0,24}[a-z0-9])?)-([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})';
const hostLabel = new RegExp(`^${HOST_LABEL}$`);

type Place = { baseUrl: string; domain?: string | undefined };

/** Where an agent answers: at a host of its own where there is a domain for agents and its name fits, else at its path. */
export function agentAddress(named: Named, { baseUrl, domain }: Place): string {
  const label = `${named.name}-${named.tenantId}`;
  if (domain !== undefined && hostLabel.test(label)) return `https://${label}.${domain}`;
  return baseUrl + agentPath(named);
}
