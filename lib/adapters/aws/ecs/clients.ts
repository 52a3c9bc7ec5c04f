import { ApplicationAutoScalingClient } from '@aws-sdk/client-application-auto-scaling';
import { CloudWatchLogsClient } from '@aws-sdk/client-cloudwatch-logs';
import { ECSClient } from '@aws-sdk/client-ecs';
import { ElasticLoadBalancingV2Client } from '@aws-sdk/client-elastic-load-balancing-v2';
import { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { ComputeBusy, ComputeRefused } from '../../compute.ts';
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

/** Quotas that what drains gives back, or that an operator has raised. */
const FULL: Record<string, string> = {
  TooManyTargetGroups: 'target groups of the account',
  TooManyTargetGroupsException: 'target groups of the account',
  TooManyRules: 'rules of the listener of the balancer',
  TooManyRulesException: 'rules of the listener of the balancer',
  TooManyUniqueTargetGroupsPerLoadBalancer: 'target groups of the balancer (100, not adjustable)',
  TooManyUniqueTargetGroupsPerLoadBalancerException: 'target groups of the balancer (100, not adjustable)',
};

/** What was written a moment ago is not known everywhere yet, or another run was quicker. */
const PASSING =
  /does not have an associated load balancer|assume the service linked role|Creation of service was not idempotent|already scheduled for deletion/i;

/**
 * An error of AWS in the words of the port: what is throttled or full passes, what is asked wrongly does not.
 */
export function inWords(error: unknown): unknown {
  const name = nameOf(error);
  const said = textOf(error);
  if (THROTTLED.includes(name)) return new ComputeBusy(`AWS asks for fewer requests (${name}); tried again.`);
  const quota = FULL[name];
  if (quota !== undefined)
    return new ComputeBusy(
      `The quota of ${quota} is used up, and what drains holds one each: tried again when sets have gone. Delete agents, or raise the quota.`,
    );
  if (/still Draining/i.test(said))
    return new ComputeBusy('The set that ran this before still ends its servers; tried again when it has.');
  if (PASSING.test(said) || name === 'ResourceInUse' || name === 'ResourceInUseException')
    return new ComputeBusy(`AWS does not know yet what was made or deleted a moment ago; tried again.`);
  if (name === 'ClientException' || name === 'InvalidParameterException')
    return new ComputeRefused(`Fargate does not take it: ${said}`);
  return error;
}
