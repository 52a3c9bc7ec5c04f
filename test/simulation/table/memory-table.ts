import {
  type AttributeValue,
  ConditionalCheckFailedException,
  TransactionCanceledException,
} from '@aws-sdk/client-dynamodb';
import type {
  BatchGetCommandInput,
  DeleteCommandInput,
  GetCommandInput,
  PutCommandInput,
  QueryCommandInput,
  TransactWriteCommandInput,
  UpdateCommandInput,
} from '@aws-sdk/lib-dynamodb';
import { marshall } from '@aws-sdk/util-dynamodb';
import type { Guards } from '../guards.ts';
import { conditionOf, type Item } from './expressions.ts';
import { updated } from './updates.ts';

/** One item that a write has changed; undefined: it is not there. Items never change in place. */
export type Change = { pk: string; sk: string; before: Item | undefined; after: Item | undefined };

/** A command of the document client, as lib/store makes them. */
export type Command = { constructor: { name: string }; input: unknown };

/** What a command gave. */
export type Outcome = { answer: object } | { error: unknown };

type Keyed = { pk: string; sk: string };
type Operation = {
  kind: 'Put' | 'Update' | 'Delete' | 'ConditionCheck';
  Key?: Item | undefined;
  Item?: Item | undefined;
  UpdateExpression?: string | undefined;
  ConditionExpression?: string | undefined;
  ExpressionAttributeNames?: Record<string, string> | undefined;
  ExpressionAttributeValues?: Item | undefined;
};
type Due = Keyed & { due_pk: string; due_at: number };

/** Without what is undefined, which the document client leaves out. */
function clean(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (value instanceof Set || value instanceof Uint8Array) return value;
  if (Array.isArray(value)) return value.map(clean);
  const kept = Object.entries(value).filter(([, member]) => member !== undefined);
  return Object.fromEntries(kept.map(([key, member]) => [key, clean(member)]));
}

const keyOf = (operation: Operation): Keyed => (operation.Item ?? operation.Key) as Keyed;
const image = (item: Item): Record<string, AttributeValue> => marshall(item, { removeUndefinedValues: true });

/**
 * The table as lib/store sees it, in memory: strongly consistent but for its index, which `onCommit` keeps,
 * perhaps late.
 */
export class MemoryTable {
  readonly partitions = new Map<string, Map<string, Item>>();
  /** What the sparse index shows. */
  readonly index = new Map<string, Due>();
  /** Called with what each write has changed. */
  onCommit: (changes: Change[]) => void = () => undefined;
  operations = 0;
  /** The tokens of requests that have taken effect. */
  readonly #made = new Set<string>();

  get(pk: string, sk: string): Item | undefined {
    return this.partitions.get(pk)?.get(sk);
  }

  /** Hears of conditions that do not hold. */
  guards: Pick<Guards, 'noteRefusal'> | undefined;

  /** Hears of each command and of what came of it, in their order. */
  onExecute: ((command: Command, outcome: Outcome) => void) | undefined;

  /** Does what a command says, at once. Throws as DynamoDB does when a condition does not hold. */
  execute(command: Command): object {
    this.operations += 1;
    try {
      const answer = this.#execute(command);
      this.onExecute?.(command, { answer });
      return answer;
    } catch (error) {
      this.onExecute?.(command, { error });
      throw error;
    }
  }

  #execute(command: Command): object {
    switch (command.constructor.name) {
      case 'GetCommand': {
        const { Key } = command.input as GetCommandInput;
        return { Item: this.get(...this.#place(Key)) };
      }
      case 'BatchGetCommand':
        return this.#getBoth(command.input as BatchGetCommandInput);
      case 'QueryCommand':
        return this.#query(command.input as QueryCommandInput);
      case 'TransactWriteCommand':
        return this.#transact(command.input as TransactWriteCommandInput);
      case 'PutCommand':
        return this.#write({ kind: 'Put', ...(command.input as PutCommandInput) });
      case 'UpdateCommand':
        return this.#write({ kind: 'Update', ...(command.input as UpdateCommandInput) });
      case 'DeleteCommand':
        return this.#write({ kind: 'Delete', ...(command.input as DeleteCommandInput) });
      default:
        throw new Error(`the table in memory knows no ${command.constructor.name}`);
    }
  }

  /** Shows an item in the index as it is now. */
  showInIndex({ pk, sk }: Keyed): void {
    const item = this.get(pk, sk);
    const name = `${pk}\n${sk}`;
    if (item?.due_pk === undefined) this.index.delete(name);
    else this.index.set(name, { pk, sk, due_pk: String(item.due_pk), due_at: Number(item.due_at) });
  }

  #place(key: Item | undefined): [pk: string, sk: string] {
    return [String(key?.pk), String(key?.sk)];
  }

  #getBoth({ RequestItems = {} }: BatchGetCommandInput): object {
    const answers = Object.entries(RequestItems).map(([name, asked]) => [
      name,
      (asked.Keys ?? []).flatMap((key) => this.get(...this.#place(key)) ?? []),
    ]);
    return { Responses: Object.fromEntries(answers) as object };
  }

  #query(input: QueryCommandInput): object {
    const values = input.ExpressionAttributeValues ?? {};
    const condition = conditionOf(input.KeyConditionExpression ?? '');
    const bindings = { names: input.ExpressionAttributeNames ?? {}, values };
    if (input.IndexName !== undefined) {
      const due = [...this.index.values()].filter((entry) => condition(entry, bindings));
      return { Items: due.sort((a, b) => a.due_at - b.due_at) };
    }
    const partition =
      this.partitions.get(String(values[':pk'] ?? values[':partition'])) ?? new Map<string, Item>();
    const forward = input.ScanIndexForward !== false;
    const start = input.ExclusiveStartKey?.sk as string | undefined;
    const found = [...partition]
      .filter(([, item]) => condition(item, bindings))
      .filter(([sk]) => start === undefined || (forward ? sk > start : sk < start))
      .sort(([a], [b]) => (a < b ? -1 : 1));
    if (!forward) found.reverse();
    const page = found.slice(0, input.Limit ?? found.length);
    const last = page.at(-1);
    const mayBeMore = input.Limit !== undefined && page.length === input.Limit && last !== undefined;
    const LastEvaluatedKey = { pk: last?.[1].pk, sk: last?.[0] };
    return { Items: page.map(([, item]) => item), ...(mayBeMore && { LastEvaluatedKey }) };
  }

  #transact({ TransactItems = [], ClientRequestToken }: TransactWriteCommandInput): object {
    if (ClientRequestToken !== undefined && this.#made.has(ClientRequestToken)) return {};
    const operations = TransactItems.map((item): Operation => {
      const [kind, operation] = Object.entries(item)[0] ?? [];
      return { kind, ...operation } as Operation;
    });
    const names = operations.map((operation) => this.#place(keyOf(operation)).join('\n'));
    if (new Set(names).size < names.length)
      throw Object.assign(new Error('Transaction request cannot include multiple operations on one item'), {
        name: 'ValidationException',
      });
    const held = operations.map((operation) => this.#holds(operation));
    if (held.includes(false)) throw this.#cancelled(operations, held);
    const changes = operations.flatMap((operation) => this.#changeOf(operation) ?? []);
    if (ClientRequestToken !== undefined) this.#made.add(ClientRequestToken);
    this.#commit(changes);
    return {};
  }

  #write(operation: Operation): object {
    if (!this.#holds(operation)) {
      const found = this.get(...this.#place(keyOf(operation)));
      const Item = found === undefined ? {} : { Item: image(found) };
      throw new ConditionalCheckFailedException({
        message: 'The conditional request failed',
        $metadata: {},
        ...Item,
      });
    }
    this.#commit([this.#changeOf(operation) ?? []].flat());
    return {};
  }

  #holds(operation: Operation): boolean {
    if (operation.ConditionExpression === undefined || operation.ConditionExpression === '') return true;
    const bindings = {
      names: operation.ExpressionAttributeNames ?? {},
      values: operation.ExpressionAttributeValues ?? {},
    };
    const item = this.get(...this.#place(keyOf(operation)));
    const holds = conditionOf(operation.ConditionExpression)(item, bindings);
    if (!holds) this.guards?.noteRefusal(operation.ConditionExpression, item, bindings);
    return holds;
  }

  #cancelled(operations: Operation[], held: boolean[]): Error {
    const CancellationReasons = operations.map((operation, index) => {
      if (held[index] === true) return { Code: 'None' };
      const found = this.get(...this.#place(keyOf(operation)));
      return { Code: 'ConditionalCheckFailed', ...(found && { Item: image(found) }) };
    });
    return new TransactionCanceledException({ message: 'cancelled', $metadata: {}, CancellationReasons });
  }

  #changeOf(operation: Operation): Change | undefined {
    const [pk, sk] = this.#place(keyOf(operation));
    const before = this.get(pk, sk);
    switch (operation.kind) {
      case 'ConditionCheck':
        return undefined;
      case 'Put':
        return { pk, sk, before, after: clean(operation.Item) as Item };
      case 'Delete':
        return { pk, sk, before, after: undefined };
      case 'Update': {
        const values = clean(operation.ExpressionAttributeValues ?? {}) as Item;
        const bindings = { names: operation.ExpressionAttributeNames ?? {}, values };
        return {
          pk,
          sk,
          before,
          after: updated(before, { pk, sk }, operation.UpdateExpression ?? '', bindings),
        };
      }
    }
  }

  #commit(changes: Change[]): void {
    for (const { pk, sk, after } of changes) {
      const partition = this.partitions.get(pk) ?? new Map<string, Item>();
      this.partitions.set(pk, partition);
      if (after === undefined) partition.delete(sk);
      else partition.set(sk, after);
    }
    this.onCommit(changes.filter(({ before, after }) => before !== undefined || after !== undefined));
  }
}
