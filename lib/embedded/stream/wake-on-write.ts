import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';

const writes =
  /^(Put|Update|Delete|BatchWrite|TransactWrite|ExecuteStatement|ExecuteTransaction|BatchExecute)/;

/** Calls `wake` after each acknowledged write of this client. */
export function wakeOnWrite(client: DynamoDBDocumentClient, wake: () => void): void {
  client.middlewareStack.add(
    (next, { commandName }) =>
      async (args) => {
        const result = await next(args);
        if (writes.test(commandName ?? '')) wake();
        return result;
      },
    { step: 'initialize', name: 'slipwayWakeOnWrite' },
  );
}
