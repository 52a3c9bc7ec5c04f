import {
  DeleteFunctionConcurrencyCommand,
  type FunctionConfiguration,
  GetFunctionConcurrencyCommand,
  type LambdaClient,
  ListTagsCommand,
  PutFunctionConcurrencyCommand,
  paginateListFunctions,
  TagResourceCommand,
  UntagResourceCommand,
} from '@aws-sdk/client-lambda';
import { Obstacle } from './explain.ts';

/**
 * What a paused function had reserved, or `none`. It is kept in a tag, so that a deploy in between keeps it.
 */
const TAG = 'slipway:reserved-concurrency';
const NONE = 'none';

type Writer = { name: string; arn: string; timeoutSeconds: number };

export type Paused = {
  functions: number;
  /** What runs already may write for so long (seconds): the longest timeout of them. */
  secondsUntilQuiet: number;
};

/**
 * Stops everything that writes to a table: no function that is configured with it starts any more. Harmless
 * when repeated. Throws Obstacle when no function is configured with it.
 */
export async function pauseWriters(lambda: LambdaClient, tableName: string): Promise<Paused> {
  const writers = await writersOf(lambda, tableName);
  for (const { name, arn } of writers) {
    if ((await rememberedOf(lambda, arn)) === undefined) {
      const { ReservedConcurrentExecutions: reserved } = await lambda.send(
        new GetFunctionConcurrencyCommand({ FunctionName: name }),
      );
      // First the memory: a pause that breaks off here has stopped nothing that could not be started again.
      await lambda.send(new TagResourceCommand({ Resource: arn, Tags: { [TAG]: String(reserved ?? NONE) } }));
    }
    await reserve(lambda, name, 0);
  }
  const secondsUntilQuiet = Math.max(...writers.map(({ timeoutSeconds }) => timeoutSeconds));
  return { functions: writers.length, secondsUntilQuiet };
}

/**
 * Starts again what `pauseWriters` stopped, with the concurrency that was reserved before, and gives how many
 * functions that were. Functions that are not paused stay as they are. Throws Obstacle when no function is
 * configured with the table.
 */
export async function resumeWriters(lambda: LambdaClient, tableName: string): Promise<number> {
  let resumed = 0;
  for (const { name, arn } of await writersOf(lambda, tableName)) {
    const reserved = await rememberedOf(lambda, arn);
    if (reserved === undefined) continue;
    await reserve(lambda, name, reserved === NONE ? undefined : Number(reserved));
    await lambda.send(new UntagResourceCommand({ Resource: arn, TagKeys: [TAG] }));
    resumed += 1;
  }
  return resumed;
}

/** `executions`: at once; undefined takes the reservation away. */
async function reserve(lambda: LambdaClient, name: string, executions: number | undefined): Promise<void> {
  if (executions === undefined)
    await lambda.send(new DeleteFunctionConcurrencyCommand({ FunctionName: name }));
  else
    await lambda.send(
      new PutFunctionConcurrencyCommand({ FunctionName: name, ReservedConcurrentExecutions: executions }),
    );
}

async function rememberedOf(lambda: LambdaClient, arn: string): Promise<string | undefined> {
  const { Tags } = await lambda.send(new ListTagsCommand({ Resource: arn }));
  return Tags?.[TAG];
}

async function writersOf(lambda: LambdaClient, tableName: string): Promise<Writer[]> {
  const writers: Writer[] = [];
  for await (const { Functions = [] } of paginateListFunctions({ client: lambda }, {}))
    writers.push(...Functions.flatMap((one) => writerOf(one, tableName)));
  if (writers.length > 0) return writers;
  throw new Obstacle(
    `No function of this account and region works on the table '${tableName}'. Use the stack's output TableName, and --region for another region.`,
  );
}

function writerOf(one: FunctionConfiguration, tableName: string): Writer[] {
  const { FunctionName: name, FunctionArn: arn, Timeout: timeoutSeconds = 0, Environment } = one;
  const isWriter = Environment?.Variables?.TABLE_NAME === tableName;
  return isWriter && name !== undefined && arn !== undefined ? [{ name, arn, timeoutSeconds }] : [];
}
