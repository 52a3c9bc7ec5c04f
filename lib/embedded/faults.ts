import {
  TransactionCanceledException,
  TransactionConflictException,
  type TransactWriteItemsCommandInput,
} from '@aws-sdk/client-dynamodb';
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import type { Faults } from '../settings/values.ts';

/** What the store writes with. */
const WRITES = new Set([
  'TransactWriteItemsCommand',
  'PutItemCommand',
  'UpdateItemCommand',
  'DeleteItemCommand',
]);

/**
 * Lets a share of this client's writes fail as DynamoDB lets them fail when another writer's transaction
 * holds one of their items: nothing is written, and the reason is TransactionConflict (of one item of a
 * transaction). With the same seed the same calls fail.
 */
export function injectFaults(client: DynamoDBDocumentClient, faults: Faults, onFault: () => void): void {
  const random = randomNumbers(faults.seed);
  client.middlewareStack.add(
    (next, { commandName }) =>
      async (args) => {
        const isWrite = WRITES.has(commandName ?? '');
        if (!isWrite || random() >= faults.transactionConflict) return next(args);
        onFault();
        // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the name of the command says what its input is
        const { TransactItems } = args.input as Partial<TransactWriteItemsCommandInput>;
        throw TransactItems === undefined ? singleConflict() : conflictOf(TransactItems, random);
      },
    { step: 'initialize', name: 'slipwayFaults' },
  );
}

const singleConflict = (): TransactionConflictException =>
  new TransactionConflictException({
    message: 'Transaction is ongoing for the item',
    $metadata: { httpStatusCode: 400 },
  });

function conflictOf(
  TransactItems: NonNullable<TransactWriteItemsCommandInput['TransactItems']>,
  random: () => number,
): TransactionCanceledException {
  const hit = Math.floor(random() * TransactItems.length);
  const CancellationReasons = TransactItems.map((_, index) =>
    index === hit
      ? { Code: 'TransactionConflict', Message: 'Transaction is ongoing for the item' }
      : { Code: 'None' },
  );
  const codes = CancellationReasons.map(({ Code }) => Code).join(', ');
  return new TransactionCanceledException({
    message: `Transaction cancelled, please refer cancellation reasons for specific reasons [${codes}]`,
    $metadata: { httpStatusCode: 400 },
    CancellationReasons,
  });
}

/** Numbers from 0 up to 1, the same ones for the same seed (mulberry32). */
function randomNumbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
