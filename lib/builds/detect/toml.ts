import { parse, TomlError, type TomlTable, type TomlValue } from 'smol-toml';
import { BuildFailure } from '../failure.ts';
import type { SourceFiles } from './source-files.ts';

/** What a TOML file of a project says; nothing where it is not there. Throws BuildFailure for one that is not valid. */
export function tomlOf(files: SourceFiles, path: string): TomlTable {
  try {
    return parse(files.get(path) ?? '', { integersAsBigInt: 'asNeeded' });
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    const [what = ''] = error.message.split('\n', 1);
    throw new BuildFailure(`${path}, line ${error.line}, column ${error.column}: ${what}`);
  }
}

export const isTable = (value: TomlValue | undefined): value is TomlTable =>
  typeof value === 'object' && !Array.isArray(value) && !(value instanceof Date);

/** The value of a key below tables, undefined where it is not there. */
export function valueIn(table: TomlTable, ...keys: string[]): TomlValue | undefined {
  let value: TomlValue | undefined = table;
  for (const key of keys) {
    if (!isTable(value) || !Object.hasOwn(value, key)) return undefined;
    value = value[key];
  }
  return value;
}

/** The keys of a table, with their values. */
export function entriesIn(table: TomlTable, ...keys: string[]): [key: string, value: TomlValue][] {
  const found = valueIn(table, ...keys);
  return isTable(found) ? Object.entries(found) : [];
}

export function textIn(table: TomlTable, ...keys: string[]): string | undefined {
  const found = valueIn(table, ...keys);
  return typeof found === 'string' ? found : undefined;
}
