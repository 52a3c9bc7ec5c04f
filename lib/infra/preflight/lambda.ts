import {
  GetAccountSettingsCommand,
  GetFunctionConcurrencyCommand,
  type LambdaClient,
  ResourceNotFoundException,
} from '@aws-sdk/client-lambda';
import { type Concurrency, concurrencyProblem, reservedInAll, reserving } from '../concurrency.ts';
import { nameOf } from '../platform.ts';
import type { Settings } from '../settings.ts';
import type { Question } from './check.ts';

/** A new account may have ten: a console that is open takes as many. */
const CONCURRENCY_FEW = 100;

/**
 * Whether the account's functions may run as often at once as the settings ask for: CloudFormation would find
 * out that it cannot reserve what `engineConcurrency` says after most of the stack is there.
 */
export const concurrencyQuestion = (client: LambdaClient, settings: Settings): Question => {
  const { engineConcurrency } = settings;
  return {
    what: 'Lambda, concurrent executions',
    needed:
      engineConcurrency === undefined
        ? String(CONCURRENCY_FEW)
        : `${reservedInAll(engineConcurrency)} reserved`,
    ask: async () => {
      const found = await concurrencyOf(client, settings);
      const there = String(found.limit);
      const problem =
        engineConcurrency === undefined ? undefined : concurrencyProblem(engineConcurrency, found);
      if (problem !== undefined) return { state: 'lack', there, advice: problem };
      if (found.limit >= CONCURRENCY_FEW) return { state: 'ok', there };
      return {
        state: 'low',
        there,
        advice: `have 'Concurrent executions' of Lambda raised to 1,000 in Service Quotas; until then requests and deploys throttle each other`,
      };
    },
  };
};

/** What is reserved already by this installation is its own: it may be used again. */
async function concurrencyOf(client: LambdaClient, settings: Settings): Promise<Concurrency> {
  const { AccountLimit } = await client.send(new GetAccountSettingsCommand({}));
  const { ConcurrentExecutions: limit, UnreservedConcurrentExecutions: unreserved } = AccountLimit ?? {};
  if (limit === undefined || unreserved === undefined)
    throw new Error('Lambda does not say how many concurrent executions this account has');
  if (settings.engineConcurrency === undefined) return { limit, reservedByOthers: limit - unreserved };
  const own = await Promise.all(reserving.map((name) => reservedBy(client, nameOf(settings, name))));
  return { limit, reservedByOthers: limit - unreserved - own.reduce((sum, one) => sum + one, 0) };
}

async function reservedBy(client: LambdaClient, name: string): Promise<number> {
  try {
    const answer = await client.send(new GetFunctionConcurrencyCommand({ FunctionName: name }));
    return answer.ReservedConcurrentExecutions ?? 0;
  } catch (error) {
    if (error instanceof ResourceNotFoundException) return 0;
    throw error;
  }
}
