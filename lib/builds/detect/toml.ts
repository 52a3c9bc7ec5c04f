/**
 * The tables of a TOML text, each with its keys and their values as they are written: `requires-python` of
 * `project` is `">=3.11"`, with its quotes. Enough to see what a project asks for; of a value of several
 * lines there is the first.
 */
export type TomlTables = ReadonlyMap<string, ReadonlyMap<string, string>>;

/** Reads the tables of a text, which need not be valid: its own tool says what is wrong with it. */
export function tomlTables(text: string): TomlTables {
  const tables = new Map<string, Map<string, string>>();
  let keys = new Map<string, string>();
  tables.set('', keys);
  for (const line of text.split(/\r?\n/)) {
    const [, table] = /^\s*\[{1,2}([^\]]+)\]{1,2}\s*(?:#.*)?$/.exec(line) ?? [];
    if (table !== undefined) {
      const name = table.replaceAll(/["'\s]/g, '');
      keys = tables.get(name) ?? new Map<string, string>();
      tables.set(name, keys);
      continue;
    }
    const [, key, value] = /^\s*(?:"([^"]+)"|[\w.-]+)\s*=\s*(.+?)\s*$/.exec(line) ?? [];
    const name = key ?? /^\s*([\w.-]+)/.exec(line)?.[1];
    if (name !== undefined && value !== undefined && !keys.has(name)) keys.set(name, value);
  }
  return tables;
}

/** The text of a string in quotes, such as `">=3.11"  # why`; undefined when it is none. */
export const tomlString = (value: string | undefined): string | undefined =>
  /^(?:"([^"]*)"|'([^']*)')/
    .exec(value ?? '')
    ?.slice(1)
    .find((one) => one !== undefined);
