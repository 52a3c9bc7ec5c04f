import { randomUUID } from 'node:crypto';
import { TransactionCanceledException } from '@aws-sdk/client-dynamodb';
import {
  BatchGetCommand,
  type BatchGetCommandInput,
  DeleteCommand,
  type DeleteCommandInput,
  GetCommand,
  type GetCommandInput,
  PutCommand,
  type PutCommandInput,
  QueryCommand,
  type QueryCommandInput,
  TransactWriteCommand,
  type TransactWriteCommandInput,
  UpdateCommand,
  type UpdateCommandInput,
} from '@aws-sdk/lib-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import { describe, expect, it } from 'vitest';
import type { Table } from '../../lib/store/table.ts';
import { freshTable } from '../support/table/dynoxide.ts';
import { Simulation } from './simulation.ts';
import type { Item } from './table/expressions.ts';
import type { Command, Outcome } from './table/memory-table.ts';

/** Some with faults of each kind; what a seed holds is in its plan. */
const SEEDS = [3, 26, 50];
const COMMANDS_MAX = 1_500;

type Heard = { command: Command; outcome: Outcome };

/** What a run asks of its table, in order. The index is behind in a run, and so is not compared. */
async function heardIn(seed: number): Promise<Heard[]> {
  const heard: Heard[] = [];
  const hears = (command: Command, outcome: Outcome): void => {
    const { IndexName } = command.input as QueryCommandInput;
    if (IndexName === undefined) heard.push({ command, outcome });
  };
  await new Simulation(seed, { hears }).run();
  return heard.slice(0, COMMANDS_MAX);
}

/** Tokens of runs are alike, and a database knows them in all of its tables. */
const tokens = new Map<string, string>();
function tokenOf(table: string, token: string): string {
  const name = `${table} ${token}`;
  const known = tokens.get(name) ?? randomUUID();
  tokens.set(name, known);
  return known;
}

/** The same of another table. */
async function ask(
  { client, name: TableName }: Table,
  { constructor: { name }, input }: Command,
): Promise<object> {
  switch (name) {
    case 'GetCommand':
      return client.send(new GetCommand({ ...(input as GetCommandInput), TableName }));
    case 'QueryCommand':
      return client.send(new QueryCommand({ ...(input as QueryCommandInput), TableName }));
    case 'PutCommand':
      return client.send(new PutCommand({ ...(input as PutCommandInput), TableName }));
    case 'UpdateCommand':
      return client.send(new UpdateCommand({ ...(input as UpdateCommandInput), TableName }));
    case 'DeleteCommand':
      return client.send(new DeleteCommand({ ...(input as DeleteCommandInput), TableName }));
    case 'BatchGetCommand': {
      const [asked = { Keys: [] }] = Object.values((input as BatchGetCommandInput).RequestItems ?? {});
      return client.send(new BatchGetCommand({ RequestItems: { [TableName]: asked } }));
    }
    case 'TransactWriteCommand': {
      const { TransactItems = [], ClientRequestToken } = input as TransactWriteCommandInput;
      const token = tokenOf(TableName, ClientRequestToken ?? '');
      const items = TransactItems.map((item) =>
        Object.fromEntries(Object.entries(item).map(([kind, one]) => [kind, { ...one, TableName }])),
      );
      return client.send(new TransactWriteCommand({ TransactItems: items, ClientRequestToken: token }));
    }
    default:
      throw new Error(`nobody asks a table for ${name}`);
  }
}

const inOrder = (items: Item[]): Item[] =>
  [...items].sort((a, b) => (`${a.pk} ${a.sk}` < `${b.pk} ${b.sk}` ? -1 : 1));

/** What of an answer is told: the items. */
function shown(answer: object): unknown {
  const { Item, Items, Responses } = answer as {
    Item?: Item;
    Items?: Item[];
    Responses?: Record<string, Item[]>;
  };
  return Item ?? Items ?? inOrder(Object.values(Responses ?? {}).flat());
}

/** What of an error is told: its name, and for each write why, and what was found instead. */
function refused(error: unknown): unknown {
  if (!(error instanceof TransactionCanceledException)) return { name: (error as Error).name };
  const reasons = (error.CancellationReasons ?? []).map(({ Code, Item }) => ({
    Code,
    found: Item === undefined || Object.keys(Item).length === 0 ? undefined : unmarshall(Item),
  }));
  return { name: error.name, reasons };
}

const told = (outcome: Outcome): unknown =>
  'answer' in outcome ? shown(outcome.answer) : refused(outcome.error);

describe('the table of the simulation', () => {
  it.each(SEEDS)('answers all that seed %i asks as a real one does', async (seed) => {
    const table = await freshTable();
    const heard = await heardIn(seed);
    expect(heard.length).toBeGreaterThan(100);
    for (const { command, outcome } of heard) {
      const real = await ask(table, command).then(
        (answer): Outcome => ({ answer }),
        (error: unknown): Outcome => ({ error }),
      );
      const { input } = command;
      expect({ input, told: told(outcome) }).toEqual({ input, told: told(real) });
    }
  });
});
