import { existsSync, readFileSync, unlinkSync, writeFileSync } from 'node:fs';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { isAt, type Order } from './points.ts';

/*
 * Loaded into the program before everything else (`node --import`): kills the program's process group at
 * the very write that an order names. The order is a file, which is gone before the kill.
 */
const { KILL_ORDER: file } = process.env;

function ordered(name: string, input: unknown): Order | undefined {
  if (file === undefined || !existsSync(file)) return undefined;
  const order: Order = JSON.parse(readFileSync(file, 'utf8'));
  if (!isAt(order.point, { name, input })) return undefined;
  unlinkSync(file);
  return order;
}

const putBack = (order: Order): void => {
  if (file !== undefined) writeFileSync(file, JSON.stringify(order));
};

const die = (): void => void process.kill(-process.pid, 'SIGKILL');

const { from } = DynamoDBDocumentClient;
DynamoDBDocumentClient.from = (...args) => {
  const client = from.apply(DynamoDBDocumentClient, args);
  client.middlewareStack.add(
    (next, { commandName = '' }) =>
      async (given) => {
        const order = ordered(commandName, given.input);
        if (order?.when === 'before') die();
        const answer = await next(given).catch((error: unknown) => {
          // Another was quicker: the next write that gets there will do.
          if (order !== undefined) putBack(order);
          throw error;
        });
        if (order?.when === 'after') {
          if (order.afterMs === 0) die();
          setTimeout(die, order.afterMs);
        }
        return answer;
      },
    { step: 'initialize', name: 'kill' },
  );
  return client;
};
