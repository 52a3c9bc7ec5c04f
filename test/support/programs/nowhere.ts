import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { runningTable } from '../../../lib/embedded/data-folder/running-database.ts';
import { allItems } from '../world/world.ts';
import { familyOf, type Program } from './program.ts';

/**
 * There is more than this in the table and the folder of a program that was used: fewer would mean that the
 * wrong place was looked at.
 */
const FEW = 20;

/**
 * Where one of these texts can be read of a running program: what it has printed, its table, its command
 * lines, every file it keeps. None, if they are kept as secrets should be. Throws when there is too little to
 * look at.
 */
export async function placesThatShow(program: Program, secrets: readonly string[]): Promise<string[]> {
  const shows = (text: string) => secrets.some((secret) => text.includes(secret));
  const table = await runningTable(program.dataFolder);
  if (table === undefined) throw new Error('the program does not run');
  const items = await allItems(table);
  table.client.destroy();
  const files = await filesBelow(program.dataFolder);
  if (items.length < FEW || files.length < FEW)
    throw new Error(`only ${items.length} items and ${files.length} files`);
  const commands = (await familyOf(program)).map(({ command }): [string, string] => [
    'a command line',
    command,
  ]);
  const places: [place: string, text: string][] = [
    ['what it printed', program.output()],
    ['its table', JSON.stringify(items)],
    ...commands,
    ...files,
  ];
  return places.filter(([, text]) => shows(text)).map(([place]) => place);
}

/**
 * The text of every file below a folder, with its path; what cannot be read as text is looked through as
 * bytes.
 */
async function filesBelow(folder: string): Promise<[path: string, text: string][]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  return Promise.all(
    files.map(
      async (path): Promise<[string, string]> => [
        path,
        // A file may go while we look: what is gone holds nothing.
        await readFile(path, 'latin1').catch(() => ''),
      ],
    ),
  );
}
