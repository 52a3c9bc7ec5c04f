import { ApplicationAutoScalingClient } from '@aws-sdk/client-application-auto-scaling';
import { CloudWatchLogsClient } from '@aws-sdk/client-cloudwatch-logs';
import { ECSClient } from '@aws-sdk/client-ecs';
import { ElasticLoadBalancingV2Client } from '@aws-sdk/client-elastic-load-balancing-v2';
import { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { ComputeBusy, ComputeRefused } from '../port.ts';
import type { EcsOptions } from './options.ts';

export type Aws = {
  options: EcsOptions;
  ecs: ECSClient;
  elb: ElasticLoadBalancingV2Client;
  scaling: ApplicationAutoScalingClient;
  secrets: SecretsManagerClient;
  logs: CloudWatchLogsClient;
};

/** Asks of a whole fleet come in bursts: a few more tries than by default, each later than the one before. */
const retries = { maxAttempts: 6, retryMode: 'standard' } as const;

export const openAws = (options: EcsOptions): Aws => ({
  options,
  ecs: new ECSClient(retries),
  elb: new ElasticLoadBalancingV2Client(retries),
  scaling: new ApplicationAutoScalingClient(retries),
  secrets: new SecretsManagerClient(retries),
  logs: new CloudWatchLogsClient(retries),
});

const nameOf = (error: unknown): string => (error instanceof Error ? error.name : '');
const textOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** The error is one of these, by its name at AWS. */
export const isNamed = (error: unknown, ...names: string[]): boolean => names.includes(nameOf(error));

/** Resolves with undefined when the answer is one of these errors: what was asked for is so already. */
export async function unless<T>(call: Promise<T>, ...names: string[]): Promise<T | undefined> {
  try {
    return await call;
  } catch (error) {
    if (isNamed(error, ...names)) return undefined;
    throw error;
  }
}

const THROTTLED = ['ThrottlingException', 'Throttling', 'TooManyRequestsException', 'RequestLimitExceeded'];

/** Quotas that what ends gives back, and what to do until then. */
const FULL: Record<string, readonly [quota: string, wayOut: string]> = {
  TooManyTargetGroups: ['target groups of the account', 'Delete agents, or have it raised.'],
  TooManyRules: ['rules of the balancer', 'Delete agents, or have it raised.'],
  TooManyUniqueTargetGroupsPerLoadBalancer: [
    'target groups of the balancer (100, not adjustable)',
    'Delete agents.',
  ],
};

/** What was written a moment ago is not known everywhere yet, or another run was quicker. */
const PASSING =
  /does not have an associated load balancer|assume the service linked role|Creation of service was not idempotent|already scheduled for deletion/i;

/**
 * An error of AWS in the words of the port: what is throttled or full passes, what is asked wrongly does not.
 */
export function portErrorOf(error: unknown): unknown {
  const name = nameOf(error);
  const said = textOf(error);
  if (THROTTLED.includes(name)) return new ComputeBusy(`AWS asks for fewer requests (${name}).`);
  const [quota, wayOut] = FULL[name.replace(/Exception$/, '')] ?? [];
  if (quota !== undefined)
    return new ComputeBusy(
      `The quota of ${quota} is used up: each set of servers holds one, also while it ends. ${wayOut}`,
    );
  if (/still Draining/i.test(said))
    return new ComputeBusy('The set that ran this before still ends its servers.');
  if (PASSING.test(said) || name === 'ResourceInUse' || name === 'ResourceInUseException')
    return new ComputeBusy('AWS does not know yet what was made or deleted a moment ago.');
  if (name === 'ClientException' || name === 'InvalidParameterException')
    return new ComputeRefused(`Fargate does not take it: ${said}`);
  return error;
}
