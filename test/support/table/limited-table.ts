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
import type { BuildControl } from '../../../lib/adapters/builds.ts';
import type { Access } from '../../../lib/contract/access.ts';
import type { Table } from '../../../lib/store/table.ts';

type Written = NonNullable<TransactWriteCommandInput['TransactItems']>[number];

/**
 * The same table for a function with this access: a command that its role would not be allowed fails, as on
 * AWS. What is used is added to `used`. `afterwards` is told the writes of each transaction that was made.
 */
export function limitedTable(
  table: Table,
  access: readonly Access[],
  used = new Set<Access>(),
  afterwards?: (writes: Written[]) => void,
): Table {
  const { client } = table;
  const send = async (command: object): Promise<unknown> => {
    for (const word of wordsOf(command)) {
      if (!access.includes(word)) throw new AccessDenied(word);
      used.add(word);
    }
    const result: unknown = await Reflect.apply(client.send, client, [command]);
    if (command instanceof TransactWriteCommand) afterwards?.(command.input.TransactItems ?? []);
    return result;
  };
  const limitedClient: Table['client'] = Object.create(client);
  return { ...table, client: Object.assign(limitedClient, { send }) };
}

/** What a call of a builder needs. */
const buildWords = new Map<PropertyKey, Access>([
  ['start', 'builds:start'],
  ['stop', 'builds:stop'],
  ['state', 'builds:read'],
]);

const limitedBuilds = (builds: BuildControl, access: readonly Access[]): BuildControl =>
  new Proxy(builds, {
    get: (all, name) => {
      const word = buildWords.get(name);
      if (word === undefined || access.includes(word)) return Reflect.get(all, name);
      return async () => {
        throw new AccessDenied(word);
      };
    },
  });

/** The same dependencies, as they are at any time, with a table and a builder that allow what is named. */
export const limited = <D extends { table: Table; builds?: BuildControl }>(
  deps: D,
  access: readonly Access[],
  used?: Set<Access>,
): D =>
  new Proxy(deps, {
    get: (all, name) => {
      if (name === 'table') return limitedTable(all.table, access, used);
      if (name === 'builds' && all.builds !== undefined) return limitedBuilds(all.builds, access);
      return Reflect.get(all, name);
    },
  });

class AccessDenied extends Error {
  constructor(word: Access) {
    super(`the row of this function does not name ${word}`);
    this.name = 'AccessDeniedException';
  }
}

/** What a command needs, in the words of lib/contract/access.ts. */
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
