import type { DynamoDBDocumentClient, TransactWriteCommandInput } from '@aws-sdk/lib-dynamodb';

/** Whether a command of the document client writes, alone or in a transaction. */
export const isWrite = (commandName = ''): boolean =>
  /^(?:Put|Update|Delete|TransactWrite)/.test(commandName);

/**
 * Collects the transactions of a single write, which cost twice what the write alone does, from now on: what
 * each writes, as JSON.
 */
export function lonelyTransactions({ middlewareStack }: DynamoDBDocumentClient): string[] {
  const found: string[] = [];
  middlewareStack.add(
    (next) => async (args) => {
      const { TransactItems: items } = args.input as Partial<TransactWriteCommandInput>; // of whatever command
      if (items?.length === 1) found.push(JSON.stringify(items[0]));
      return next(args);
    },
    { step: 'initialize', name: 'lonely' },
  );
  return found;
}
