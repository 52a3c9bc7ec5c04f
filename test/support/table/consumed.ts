import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';

/** Read and write request units, as DynamoDB says it has consumed them. */
export type Units = { reads: number; writes: number };

/** Commands that read; everything else that is sent here writes. */
const READ = /^(?:Get|BatchGet|Query)/;

type Consumed = { CapacityUnits?: number };
type Output = { ConsumedCapacity?: Consumed | Consumed[] };
type Listener = (units: Units, command: { name: string; input: object }) => void;

/** Tells what each command of this client consumes, from now on until the returned function is called. */
export function watchConsumed({ middlewareStack }: DynamoDBDocumentClient, listener: Listener): () => void {
  middlewareStack.add(
    (next, { commandName: name = '' }) =>
      async (args) => {
        const result = await next({ ...args, input: { ...args.input, ReturnConsumedCapacity: 'TOTAL' } });
        const { ConsumedCapacity: consumed } = result.output as Output; // of a command that was asked what it consumed
        const parts = Array.isArray(consumed) ? consumed : [consumed];
        const units = parts.reduce((sum, part) => sum + (part?.CapacityUnits ?? Number.NaN), 0);
        const isRead = READ.test(name);
        listener({ reads: isRead ? units : 0, writes: isRead ? 0 : units }, { name, input: args.input });
        return result;
      },
    { step: 'initialize', name: 'consumed' },
  );
  return () => void middlewareStack.remove('consumed');
}

/** What a piece of work consumes; nothing else may use the client meanwhile. */
export async function unitsOf(client: DynamoDBDocumentClient, work: () => Promise<unknown>): Promise<Units> {
  const sum: Units = { reads: 0, writes: 0 };
  const stop = watchConsumed(client, ({ reads, writes }) => {
    sum.reads += reads;
    sum.writes += writes;
  });
  try {
    await work();
  } finally {
    stop();
  }
  return sum;
}
