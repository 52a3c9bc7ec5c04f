import { parseArgs } from 'node:util';
import { UsageError } from './ends.ts';
import { nearest } from './nearest.ts';
import type { Shell } from './shell.ts';

/** One flag. `value`: what help calls its value; without one it is a switch. */
export type Flag = {
  says: string;
  short?: string;
  value?: string;
  multiple?: true;
  /** The only values it takes. */
  among?: readonly string[];
};
export type Flags = Readonly<Record<string, Flag>>;

type ValueOf<F extends Flag> = F extends { value: string }
  ? F extends { multiple: true }
    ? string[]
    : string
  : boolean;
/** The flags that were given, with their values. */
export type Given<F extends Flags> = { [K in keyof F]?: ValueOf<F[K]> };

/** One row of the table of commands: parsing, help, completion and docs/cli.md are made of it. */
type Row<F extends Flags, G> = {
  /** One word or two: `secrets set`. */
  name: string;
  /** What follows the name: `[D]` may be left out, `NAME...` may be repeated. */
  args: string;
  says: string;
  /** What help says beside its flags. */
  more?: string;
  examples: readonly string[];
  flags: F;
  /** Does it. What goes wrong is thrown. */
  run(shell: Shell, given: G, args: readonly string[]): Promise<void>;
};
type Values = Record<string, string | boolean | string[]>;
export type Command = Row<Flags, Values>;

/** Declares a row, keeping the types of its flags for `run`. */
export function command<const F extends Flags>(row: Row<F, Given<F>>): Command {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- `run` is called with what these flags are parsed to
  return row as unknown as Command;
}

/** Flags that every command takes. */
export const everywhere = {
  json: { says: 'print JSON instead of text: one object, or one a line for what streams' },
  profile: { value: 'NAME', says: 'the installation and key to use (slipway profiles)' },
  url: { value: 'URL', says: 'the installation; with --api-key, or a profile that is for this address' },
  'api-key': {
    value: 'KEY',
    says: 'a key for --url; other users of this machine may see it: rather SLIPWAY_API_KEY',
  },
  tenant: { value: 'ID', says: 'the tenant, for a credential that is good for several' },
  help: { short: 'h', says: 'print this' },
} as const satisfies Flags;
export type Everywhere = Given<typeof everywhere>;

/** A command line that was understood. */
export type Understood =
  | { kind: 'help'; command: Command | undefined; isAsked: boolean }
  | { kind: 'run'; command: Command; given: Values; everywhere: Everywhere; args: string[] };

/** How many arguments a command takes. */
export function boundsOf({ args }: Pick<Command, 'args'>): { min: number; max: number } {
  const words = args.split(' ').filter((word) => word !== '' && word !== '|');
  const isMany = words.some((word) => word.replace(/\]$/, '').endsWith('...'));
  const needed = words.filter((word) => !word.startsWith('['));
  return { min: needed.length, max: isMany ? Number.POSITIVE_INFINITY : words.length };
}

type Found = { command: Command; rest: string[] };

/** The command that words begin with; flags that are taken everywhere may stand before it. */
function find(table: readonly Command[], argv: readonly string[]): Found | undefined {
  const start = wordsStart(argv);
  const words = argv.slice(start);
  const named = table
    .filter(({ name }) => name.split(' ').every((word, at) => words[at] === word))
    .toSorted((one, other) => other.name.length - one.name.length)[0];
  if (named === undefined) return undefined;
  return { command: named, rest: [...argv.slice(0, start), ...words.slice(named.name.split(' ').length)] };
}

function wordsStart(argv: readonly string[]): number {
  const flags: Flags = everywhere;
  let at = 0;
  for (let word = argv[at]; word?.startsWith('-') === true; word = argv[at]) {
    const takesNext = !word.includes('=') && flags[word.slice(2)]?.value !== undefined;
    at += takesNext ? 2 : 1;
  }
  return at;
}

const HELP_WORDS = new Set(['help', '--help', '-h']);

/** What a command line asks for. Throws `UsageError` with what is wrong in it. */
export function understand(table: readonly Command[], argv: readonly string[]): Understood {
  const [first = ''] = argv;
  if (HELP_WORDS.has(first)) {
    const about = find(table, argv.slice(1))?.command;
    if (about === undefined && argv.length > 1) throw unknownCommand(table, argv.slice(1));
    return { kind: 'help', command: about, isAsked: true };
  }
  const found = find(table, argv);
  if (found === undefined) {
    if (argv.slice(wordsStart(argv)).length === 0)
      return { kind: 'help', command: undefined, isAsked: false };
    throw unknownCommand(table, argv.slice(wordsStart(argv)));
  }
  return parsed(found);
}

function unknownCommand(table: readonly Command[], words: readonly string[]): UsageError {
  const [first = '', second = ''] = words;
  const below = table.filter(({ name }) => name.startsWith(`${first} `)).map(({ name }) => name);
  if (below.length > 0) return new UsageError(`slipway ${first} is one of: ${below.join(', ')}.`);
  const names = table.map(({ name }) => name);
  const near = nearest(`${first} ${second}`.trim(), names) ?? nearest(first, names);
  const hint = near === undefined ? 'slipway help lists them.' : `Did you mean '${near}'?`;
  return new UsageError(`There is no command '${first}'. ${hint}`);
}

function parsed({ command: row, rest }: Found): Understood {
  const flags: Flags = { ...row.flags, ...everywhere };
  const { values, positionals } = parse(row, flags, rest);
  if (values.help === true) return { kind: 'help', command: row, isAsked: true };
  const { min, max } = boundsOf(row);
  if (positionals.length < min)
    throw new UsageError(`slipway ${row.name} needs ${row.args}: ${exampleOf(row)}`);
  if (positionals.length > max)
    throw new UsageError(
      `slipway ${row.name} takes ${row.args === '' ? 'no arguments' : row.args}; '${positionals[max]}' is too many.`,
    );
  // As of a variable that is not set: it names nothing.
  if (positionals.includes('')) throw new UsageError(`An argument of slipway ${row.name} is empty.`);
  checkValues(row, flags, values);
  const isEverywhere = (name: string) => Object.hasOwn(everywhere, name) && !Object.hasOwn(row.flags, name);
  const entries = Object.entries(values);
  return {
    kind: 'run',
    command: row,
    args: positionals,
    given: Object.fromEntries(entries.filter(([name]) => !isEverywhere(name))),
    everywhere: Object.fromEntries(entries.filter(([name]) => isEverywhere(name))),
  };
}

const exampleOf = ({ examples: [first = ''] }: Command): string => first;

function parse(row: Command, flags: Flags, args: string[]): { values: Values; positionals: string[] } {
  const options = Object.fromEntries(
    Object.entries(flags).map(([name, { value, short, multiple }]) => [
      name,
      {
        type: value === undefined ? ('boolean' as const) : ('string' as const),
        ...(short !== undefined && { short }),
        ...(multiple !== undefined && { multiple }),
      },
    ]),
  );
  try {
    const { values, positionals } = parseArgs({ args, options, allowPositionals: true });
    // Without a prototype, and typed for options that are known beforehand.
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- as Node documents it
    return { values: { ...values } as Values, positionals };
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw new UsageError(refusalOf(row, flags, error.message));
  }
}

/** What Node says, in the words of this program. */
function refusalOf({ name }: Command, flags: Flags, message: string): string {
  const unknown = /^Unknown option '(-[^']*)'/.exec(message)?.[1];
  if (unknown === undefined) return `${(message.split('\n')[0] ?? '').replace(/\.$/, '')}.`;
  const near = nearest(unknown.replace(/^-+/, ''), Object.keys(flags));
  const hint = near === undefined ? `slipway help ${name} lists its flags.` : `Did you mean --${near}?`;
  return `slipway ${name} has no flag ${unknown}. ${hint}`;
}

function checkValues({ name }: Command, flags: Flags, values: Values): void {
  for (const [flag, given] of Object.entries(values)) {
    const among = flags[flag]?.among;
    if (given === '' && flag !== 'grep') throw new UsageError(`--${flag} is empty.`);
    if (among === undefined || typeof given !== 'string' || among.includes(given)) continue;
    throw new UsageError(`slipway ${name}: --${flag} is one of ${among.join(', ')}, not '${given}'.`);
  }
}
