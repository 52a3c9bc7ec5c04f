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

type Named = { tenantId: string; name: string };

/** The value of the header for a deployment, by its name in its tenant. */
export const agentValue = ({ tenantId, name }: Named): string => `${tenantId}/${name}`;

/** Where its address begins, after the host. */
export const agentPath = (named: Named): string => `/d/${agentValue(named)}`;
