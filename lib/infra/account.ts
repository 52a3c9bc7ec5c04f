import {
  GetAccountSettingsCommand,
  GetFunctionConcurrencyCommand,
  LambdaClient,
  ResourceNotFoundException,
} from '@aws-sdk/client-lambda';
import { type Concurrency, concurrencyProblem, reserving } from './concurrency.ts';
import { nameOf } from './platform.ts';
import type { Settings } from './settings.ts';

/**
 * Makes sure, before anything is deployed, that the account can reserve what `engineConcurrency` asks for:
 * CloudFormation would find out after most of the stack is there. Throws with what to do. Nothing is asked
 * without the setting, or where the CDK knows no account (`cdk synth`).
 */
export async function checkAccount(
  settings: Settings,
  environment: NodeJS.ProcessEnv = process.env,
): Promise<void> {
  const { engineConcurrency } = settings;
  const { CDK_DEFAULT_ACCOUNT: account, CDK_DEFAULT_REGION: region } = environment;
  if (engineConcurrency === undefined || account === undefined) return;
  const client = new LambdaClient(region === undefined ? {} : { region });
  const concurrency = await concurrencyOf(client, settings).catch((error: unknown) => {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(`${NOT_CHECKED} ${reason}`, { cause: error });
  });
  const problem = concurrencyProblem(engineConcurrency, concurrency);
  if (problem !== undefined) throw new Error(problem);
}

const NOT_CHECKED =
  'Whether the account can reserve what engineConcurrency asks for could not be found out; name the profile in AWS_PROFILE, not with --profile, or deploy without it:';

/** What is reserved already by this installation is its own: it may be used again. */
async function concurrencyOf(client: LambdaClient, settings: Settings): Promise<Concurrency> {
  const { AccountLimit } = await client.send(new GetAccountSettingsCommand({}));
  const { ConcurrentExecutions: limit, UnreservedConcurrentExecutions: unreserved } = AccountLimit ?? {};
  if (limit === undefined || unreserved === undefined)
    throw new Error('Lambda does not say how many concurrent executions this account has');
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
