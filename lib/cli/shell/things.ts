import { type Command, command } from './command.ts';
import { Ended, UsageError } from './ends.ts';
import { nearest } from './nearest.ts';
import type { Cell } from './output.ts';
import type { Shell } from './shell.ts';

/** What a tenant has several of, each with an id and a name that people know it by. */
export type Things<Row extends { id: string }> = {
  /** As commands call them: `keys`. */
  noun: string;
  /** One of them, in a sentence: `key`. */
  one: string;
  rowsOf: (shell: Shell) => AsyncIterable<Row>;
  nameOf: (row: Row) => string;
  heading: readonly string[];
  cellsOf: (row: Row, shell: Shell) => readonly Cell[];
  /** How its command is called (default: delete), what it does in a sentence, and what follows for people. */
  removal: {
    verb?: string;
    says: string;
    consequence: string;
    run: (shell: Shell, row: Row) => Promise<unknown>;
  };
};

/** The one of this name or id. Throws `Ended` when there is none, `UsageError` when several have the name. */
export async function thingOf<Row extends { id: string }>(
  shell: Shell,
  { one, noun, rowsOf, nameOf }: Pick<Things<Row>, 'one' | 'noun' | 'rowsOf' | 'nameOf'>,
  given: string,
): Promise<Row> {
  const rows: Row[] = [];
  for await (const row of rowsOf(shell)) rows.push(row);
  const found = rows.filter((row) => row.id === given || nameOf(row) === given);
  if (found.length > 1)
    throw new UsageError(
      `There are ${found.length} ${noun} named '${given}': give the id, ${found.map(({ id }) => id).join(' or ')}.`,
    );
  if (found[0] !== undefined) return found[0];
  const near = nearest(given, rows.map(nameOf));
  const hint = near === undefined ? `slipway ${noun} list shows all.` : `Did you mean '${near}'?`;
  throw new Ended(`There is no ${one} '${given}'. ${hint}`);
}

/** Their two commands: the list, and the removal of one by its name. */
export function thingCommands<Row extends { id: string }>(things: Things<Row>): [Command, Command] {
  const { noun, one, rowsOf, nameOf, heading, cellsOf, removal } = things;
  const list = command({
    name: `${noun} list`,
    args: '',
    says: `List the ${noun} of the tenant`,
    examples: [`slipway ${noun} list`],
    flags: {},
    async run(shell) {
      const rows: Row[] = [];
      for await (const row of rowsOf(shell)) rows.push(row);
      const cells = rows.map((row) => cellsOf(row, shell));
      shell.output.result(rows, rows.length === 0 ? [] : shell.output.table(heading, cells));
      if (rows.length === 0 && !shell.output.isJson) shell.output.say(`There are no ${noun}.`);
    },
  });
  const { verb = 'delete', says, consequence, run } = removal;
  const remove = command({
    name: `${noun} ${verb}`,
    args: 'NAME',
    says,
    examples: [`slipway ${noun} ${verb} old -y`],
    flags: { yes: { short: 'y', says: 'ask nothing' } },
    async run(shell, { yes }, [given = '']) {
      const row = await thingOf(shell, things, given);
      await shell.confirm(
        `${consequence} ${verb.replace(/^./, (letter) => letter.toUpperCase())} the ${one} '${nameOf(row)}'?`,
        yes,
      );
      await run(shell, row);
      shell.output.result({ id: row.id, name: nameOf(row) }, [`${nameOf(row)}: ${verb}d`]);
    },
  });
  return [list, remove];
}
