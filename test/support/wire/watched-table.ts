import {
  BatchGetCommand,
  DeleteCommand,
  GetCommand,
  PutCommand,
  QueryCommand,
  TransactWriteCommand,
  type TransactWriteCommandInput,
  UpdateCommand,
} from '@aws-sdk/lib-dynamodb';
import type { Access } from '../../../lib/contract/access.ts';
import type { Table } from '../../../lib/store/table.ts';

type Written = NonNullable<TransactWriteCommandInput['TransactItems']>[number];

/** The same table; `note` is told what is done to it, in the words of routes, and `afterwards` the writes of each transaction that was made. */
export function watchedTable(
  { name, client }: Table,
  note: (word: Access) => void,
  afterwards: (writes: Written[]) => void,
): Table {
  const send = async (command: object): Promise<unknown> => {
    for (const word of wordsOf(command)) note(word);
    const result: unknown = await Reflect.apply(client.send, client, [command]);
    if (command instanceof TransactWriteCommand) afterwards(command.input.TransactItems ?? []);
    return result;
  };
  const watched: Table['client'] = Object.create(client);
  return { name, client: Object.assign(watched, { send }) };
}

function wordsOf(command: object): Access[] {
  if (command instanceof GetCommand) return ['table:get'];
  if (command instanceof BatchGetCommand) return ['table:get-both'];
  if (command instanceof QueryCommand)
    return [command.input.IndexName === undefined ? 'table:query' : 'due:query'];
  if (command instanceof PutCommand) return ['table:put'];
  if (command instanceof UpdateCommand) return ['table:update'];
  if (command instanceof DeleteCommand) return ['table:delete'];
  if (command instanceof TransactWriteCommand) return (command.input.TransactItems ?? []).map(wordOf);
  throw new Error(`no word for ${command.constructor.name}`);
}

function wordOf(write: Written): Access {
  if (write.Put !== undefined) return 'table:put';
  if (write.Update !== undefined) return 'table:update';
  return write.Delete === undefined ? 'table:check' : 'table:delete';
}
