import {
  DeleteServiceCommand,
  DeleteTaskDefinitionsCommand,
  DeregisterTaskDefinitionCommand,
} from '@aws-sdk/client-ecs';
import { DeleteRuleCommand, DeleteTargetGroupCommand } from '@aws-sdk/client-elastic-load-balancing-v2';
import { PutFunctionConcurrencyCommand } from '@aws-sdk/client-lambda';
import { DeleteSecretCommand } from '@aws-sdk/client-secrets-manager';
import { until } from '../../support/until.ts';
import { absent } from '../absent.ts';
import type { Account } from '../account.ts';
import { agentsNameOf, partsOf } from './parts.ts';

/** Servers end within two minutes of being asked to. */
const ENDING_TIMEOUT_MS = 10 * 60_000;

/**
 * Removes sets of servers that a run has left: the stack, which knows nothing of them, could not be
 * destroyed around them.
 */
export async function removeAgents(account: Account, environment: string): Promise<void> {
  const { ecs, balancers, secrets, functions } = account.clients;
  const {
    services,
    rules,
    targetGroups,
    taskDefinitions,
    secrets: names,
  } = await partsOf(account, environment);
  if (targetGroups.length === 0 && services.length === 0) return;
  // The driver would make again what is deleted here.
  const FunctionName = `slipway-${environment}-drive`;
  const paused = new PutFunctionConcurrencyCommand({ FunctionName, ReservedConcurrentExecutions: 0 });
  await functions.send(paused).catch(absent(/ResourceNotFound/, undefined));
  const cluster = agentsNameOf(environment);
  for (const service of services)
    await ecs
      .send(new DeleteServiceCommand({ cluster, service, force: true }))
      .catch(absent(/NotActive/, null));
  await until(async () => (await partsOf(account, environment)).services.length === 0, {
    timeoutMs: ENDING_TIMEOUT_MS,
    what: `the services of ${cluster} to end`,
  });
  for (const RuleArn of rules) await balancers.send(new DeleteRuleCommand({ RuleArn }));
  for (const TargetGroupArn of targetGroups)
    await balancers.send(new DeleteTargetGroupCommand({ TargetGroupArn }));
  for (const taskDefinition of taskDefinitions) {
    await ecs.send(new DeregisterTaskDefinitionCommand({ taskDefinition }));
    await ecs.send(new DeleteTaskDefinitionsCommand({ taskDefinitions: [taskDefinition] }));
  }
  for (const SecretId of names)
    await secrets.send(new DeleteSecretCommand({ SecretId, ForceDeleteWithoutRecovery: true }));
}
