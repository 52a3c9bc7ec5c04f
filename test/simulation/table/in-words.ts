import type { Item } from './expressions.ts';
import type { Command } from './memory-table.ts';

type Operation = { Key?: Item; Item?: Item; UpdateExpression?: string; ExpressionAttributeValues?: Item };

const VALUE_CHARACTERS_MAX = 60;

/** What a command writes, for whoever reads a trace. */
export function inWords({ input }: Command): string {
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
