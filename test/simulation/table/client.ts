import {
  DynamoDBServiceException as ServiceException,
  TransactionCanceledException,
  TransactionConflictException,
} from '@aws-sdk/client-dynamodb';
import {
  type DynamoDBDocumentClient,
  TransactWriteCommand,
  type TransactWriteCommandInput,
} from '@aws-sdk/lib-dynamodb';
import type { Ground } from '../ground.ts';
import type { Invocation } from '../invocation.ts';
import type { Item } from './expressions.ts';
import type { Command, MemoryTable } from './memory-table.ts';

type Operation = { Key?: Item; Item?: Item; UpdateExpression?: string; ExpressionAttributeValues?: Item };

const VALUE_CHARACTERS_MAX = 60;

/** What a command writes, for whoever reads a trace. */
function inWords({ input }: Command): string {
  const { TransactItems } = input as { TransactItems?: Record<string, Operation>[] };
  const operations = TransactItems?.flatMap((item) => Object.entries(item)) ?? [
    ['write', input as Operation] as const,
  ];
  return operations.map(([kind, operation]) => `${kind} ${inShort(operation)}`).join('; ');
}

function inShort({ Key, Item, UpdateExpression = '', ExpressionAttributeValues = {} }: Operation): string {
  const key = String((Item ?? Key)?.sk);
  const change = UpdateExpression.replaceAll(/:v\d+/g, (name) => {
    const value = JSON.stringify(ExpressionAttributeValues[name]) ?? 'nothing';
    return value.slice(0, VALUE_CHARACTERS_MAX);
  });
  return `${key} ${change.replaceAll('#', '')}`.trim();
}

const conflict = (command: string): Error =>
  command.startsWith('Transact')
    ? new TransactionCanceledException({
        message: 'cancelled',
        $metadata: {},
        CancellationReasons: [{ Code: 'TransactionConflict' }],
      })
    : new TransactionConflictException({ message: 'ongoing', $metadata: {} });

/** An error of the second try says so, as the SDK's do. */
function markAgain(error: unknown): never {
  if (error instanceof ServiceException) error.$metadata.attempts = 2;
  throw error;
}

const isWrite = ({ constructor: { name } }: Command): boolean => /^(Transact|Put|Update|Delete)/.test(name);

type Asked = { ground: Pick<Ground, 'faults' | 'say'>; table: MemoryTable; splitsEnds: boolean };

/**
 * A client that asks the table in memory: late, busy, in conflict, and sent twice when an answer was lost.
 */
export function clientOf(
  { ground: { faults, say }, table, splitsEnds }: Asked,
  invocation: Invocation,
): DynamoDBDocumentClient {
  const told = (text: () => string, write: () => object): object => {
    try {
      const answer = write();
      say(text);
      return answer;
    } catch (error) {
      say(() => `${text()} -> refused`);
      throw error;
    }
  };
  const sendOne = async (command: Command): Promise<object> => {
    const { name } = command.constructor;
    const execute = () => {
      if (isWrite(command) && faults.chance(0.01)) throw conflict(name);
      if (!isWrite(command)) return table.execute(command);
      return told(
        () => `${invocation.name}: ${inWords(command)}`,
        () => table.execute(command),
      );
    };
    const answer = await invocation.call('table', name, execute);
    // The SDK sends a request again whose answer it did not hear.
    const isUnheard = isWrite(command) && faults.chance(0.005);
    return isUnheard ? invocation.call('table', name, execute).catch(markAgain) : answer;
  };
  const send = async (command: Command): Promise<object> => {
    const parts = splitsEnds ? partsOf(command) : [command];
    let answer = {};
    for (const part of parts) answer = await sendOne(part);
    return answer;
  };
  // Nothing else of a client is asked for.
  return { send } as unknown as DynamoDBDocumentClient;
}

/**
 * What frees a slot, apart from all else that its transaction writes: a mutant, which a simulation must
 * notice.
 */
function partsOf(command: Command): Command[] {
  const { TransactItems = [] } = command.input as Partial<TransactWriteCommandInput>;
  const frees = TransactItems.filter(({ Update }) => /REMOVE.*#slot/.test(Update?.UpdateExpression ?? ''));
  if (frees.length === 0 || TransactItems.length === 1) return [command];
  const rest = TransactItems.filter((item) => !frees.includes(item));
  return [rest, frees].map((items) => new TransactWriteCommand({ TransactItems: items }));
}
