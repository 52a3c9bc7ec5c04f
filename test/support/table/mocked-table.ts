import {
  ConditionalCheckFailedException,
  TransactionCanceledException,
  TransactionConflictException,
} from '@aws-sdk/client-dynamodb';
import {
  BatchGetCommand,
  type BatchGetCommandInput,
  DeleteCommand,
  DynamoDBDocumentClient,
  GetCommand,
  PutCommand,
  QueryCommand,
  TransactWriteCommand,
  type TransactWriteCommandInput,
  UpdateCommand,
} from '@aws-sdk/lib-dynamodb';
import { marshall } from '@aws-sdk/util-dynamodb';
import { mockClient } from 'aws-sdk-client-mock';
import type { Key } from '../../../lib/store/keys/index.ts';

type Item = Record<string, unknown>;
type Written = NonNullable<TransactWriteCommandInput['TransactItems']>[number];

/**
 * A table whose answers a test decides: reads give what was seeded, writes are only noted (conditions are tested against a real
 * database elsewhere). For what an entry does at its edge.
 */
export type MockedTable = {
  seed(key: Key, item: Item): void;
  forget(key: Key): void;
  /** All writes that were made, alone or in transactions. */
  written(): Written[];
  /** What was done since the last reset, in the words of lib/contract/access.ts. */
  used(): Set<string>;
  /** Runs after each write or transaction: how the table is then. */
  afterWrite(change: () => void): void;
  /** The next write or transaction is refused because of the writes that `fails` names, which found `item`. */
  refuseOnce(fails: (write: Written) => boolean, item?: Item): void;
  /** Every write collides with a transaction. */
  collideAlways(): void;
  /** Every call but the reading of an API key fails with this error. */
  breakWith(error: Error): void;
  reset(): void;
};

export function mockTable(): MockedTable {
  const client = mockClient(DynamoDBDocumentClient);
  const items = new Map<string, Item>();
  const transactions: Written[][] = [];
  const used = new Set<string>();
  let broken: Error | undefined;
  let transact: (writes: Written[]) => void = () => {};
  let change = (): void => {};
  const idOf = (key: Item | undefined): string => `${key?.pk} ${key?.sk}`;

  const canceled = (codes: string[], item?: Item) =>
    new TransactionCanceledException({
      message: 'Transaction cancelled, please refer cancellation reasons for specific reasons',
      $metadata: {},
      CancellationReasons: codes.map((Code) => ({
        Code,
        ...(item !== undefined && Code === 'ConditionalCheckFailed' && { Item: marshall(item) }),
      })),
    });

  const behave = (): void => {
    client.on(GetCommand).callsFake(async ({ Key }) => {
      used.add('table:get');
      if (broken !== undefined && !String(Key.pk).startsWith('K#')) throw broken;
      const found = items.get(idOf(Key));
      return found === undefined ? {} : { Item: structuredClone(found) };
    });
    client.on(BatchGetCommand).callsFake(async ({ RequestItems }: BatchGetCommandInput) => {
      used.add('table:get-both');
      if (broken !== undefined) throw broken;
      const Responses = Object.entries(RequestItems ?? {}).map(([name, { Keys = [] }]) => [
        name,
        structuredClone(Keys.flatMap((key) => items.get(idOf(key)) ?? [])),
      ]);
      return { Responses: Object.fromEntries(Responses) };
    });
    client.on(QueryCommand).callsFake(async (input) => {
      used.add(input.IndexName === undefined ? 'table:query' : 'due:query');
      if (broken !== undefined) throw broken;
      return { Items: structuredClone(selected([...items.values()], input)) };
    });
    const make = (writes: Written[]): object => {
      for (const write of writes) used.add(wordOf(write));
      if (broken !== undefined) throw broken;
      transact(writes);
      transactions.push(writes);
      change();
      return {};
    };
    const alone = (write: Written): object => {
      try {
        return make([write]);
      } catch (error) {
        throw error instanceof TransactionCanceledException ? aloneRefused(error) : error;
      }
    };
    client
      .on(TransactWriteCommand)
      .callsFake(async ({ TransactItems }: { TransactItems: Written[] }) => make(TransactItems));
    client.on(PutCommand).callsFake(async (Put: Written['Put']) => alone({ Put }));
    client.on(UpdateCommand).callsFake(async (Update: Written['Update']) => alone({ Update }));
    client.on(DeleteCommand).callsFake(async (Delete: Written['Delete']) => alone({ Delete }));
  };
  behave();

  return {
    seed: (key, item) => items.set(idOf(key), { ...key, ...item }),
    forget: (key) => items.delete(idOf(key)),
    written: () => transactions.flat(),
    used: () => used,
    afterWrite(given) {
      change = given;
    },
    refuseOnce(fails, item) {
      transact = (writes) => {
        transact = () => {};
        throw canceled(
          writes.map((write) => (fails(write) ? 'ConditionalCheckFailed' : 'None')),
          item,
        );
      };
    },
    collideAlways() {
      transact = (writes) => {
        throw canceled(writes.map((_, index) => (index === 0 ? 'TransactionConflict' : 'None')));
      };
    },
    breakWith(error) {
      broken = error;
    },
    reset() {
      client.reset();
      behave();
      items.clear();
      used.clear();
      transactions.length = 0;
      broken = undefined;
      transact = () => {};
      change = () => {};
    },
  };
}

/** What a single write is told where a transaction would be canceled. */
function aloneRefused({
  CancellationReasons: [reason] = [],
  $metadata,
}: TransactionCanceledException): Error {
  return reason?.Code === 'TransactionConflict'
    ? new TransactionConflictException({ message: 'ongoing', $metadata })
    : new ConditionalCheckFailedException({
        message: 'The conditional request failed',
        $metadata,
        ...(reason?.Item !== undefined && { Item: reason.Item }),
      });
}

/** Equality of the partition, and a range of the sort key. */
function selected(items: Item[], input: Item): Item[] {
  // The mock gives inputs untyped; these are the parts of a QueryCommand's input that the store sets.
  const values = (input.ExpressionAttributeValues ?? {}) as Record<string, string | undefined>;
  if (input.IndexName !== undefined) return items.filter((item) => item.due_pk === values[':partition']);
  const { ':pk': pk, ':from': from = '', ':to': to = '\uffff' } = values;
  const found = items.filter((item) => {
    const sk = String(item.sk);
    return item.pk === pk && sk >= from && sk <= to;
  });
  const sorted = found.toSorted((a, b) => (String(a.sk) < String(b.sk) ? -1 : 1));
  return input.ScanIndexForward === false ? sorted.toReversed() : sorted;
}

function wordOf(write: Written): string {
  if (write.Put !== undefined) return 'table:put';
  if (write.Update !== undefined) return 'table:update';
  return write.Delete === undefined ? 'table:check' : 'table:delete';
}
