import type { TransactWriteCommandInput } from '@aws-sdk/lib-dynamodb';
import type { Table } from '../table.ts';
import { storable } from './free-keys.ts';
import type { Condition, Item, Write } from './transact.ts';

type TransactItem = NonNullable<TransactWriteCommandInput['TransactItems']>[number];

/** Attributes as the table can keep them. */
// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- an object of ours stays one
const kept = (attributes: Item): Item => storable(attributes) as Item;

/** A write as a transaction of this table takes it. */
export function transactItem(table: Pick<Table, 'name' | 'keeps'>, write: Write): TransactItem {
  const TableName = table.name;
  const conditionOf = (condition: Condition | undefined) => inTerms(lessened(table, write.name, condition));
  if ('put' in write) return { Put: { TableName, Item: kept(write.put), ...conditionOf(write.condition) } };
  if ('delete' in write) return { Delete: { TableName, Key: write.delete, ...conditionOf(write.condition) } };
  if ('check' in write) {
    const { ConditionExpression, ...rest } = conditionOf(write.condition);
    return {
      ConditionCheck: {
        TableName,
        Key: write.check,
        ConditionExpression: ConditionExpression ?? '',
        ...rest,
      },
    };
  }
  const condition = conditionOf(write.condition);
  const values = { ...write.values, ...write.condition?.values };
  const names = { ...write.names, ...write.condition?.names };
  return {
    Update: {
      TableName,
      Key: write.update,
      UpdateExpression: write.expression,
      ...condition,
      ...(Object.keys(values).length > 0 && { ExpressionAttributeValues: kept(values) }),
      ...(Object.keys(names).length > 0 && { ExpressionAttributeNames: names }),
    },
  };
}

/** The condition without the guards that are left out. */
function lessened(
  { keeps }: Pick<Table, 'keeps'>,
  write: string,
  condition: Condition | undefined,
): Condition | undefined {
  if (keeps === undefined || condition?.parts === undefined) return condition;
  const left = keeps(condition.parts, write);
  if (left.length === 0) return undefined;
  return { ...condition, expression: left.map(({ expression }) => expression).join(' AND ') };
}

function inTerms(condition: Condition | undefined): {
  ConditionExpression?: string;
  ExpressionAttributeValues?: Item;
  ExpressionAttributeNames?: Record<string, string>;
  ReturnValuesOnConditionCheckFailure?: 'ALL_OLD';
} {
  if (condition === undefined) return {};
  return {
    ConditionExpression: condition.expression,
    ...(condition.values !== undefined && { ExpressionAttributeValues: kept(condition.values) }),
    ...(condition.names !== undefined && { ExpressionAttributeNames: condition.names }),
    ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
  };
}
