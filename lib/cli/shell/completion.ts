import { type Command, everywhere, type Flags } from './command.ts';

export const completedShells = ['bash', 'zsh', 'fish'] as const;
export type CompletedShell = (typeof completedShells)[number];

const firstWords = (table: readonly Command[]): string[] => [
  ...new Set(table.map(({ name }) => name.split(' ')[0] ?? '')),
];
const secondWords = (table: readonly Command[], first: string): string[] =>
  table.flatMap(({ name }) => (name.startsWith(`${first} `) ? [name.slice(first.length + 1)] : []));
const flagsOf = ({ flags }: Command): Flags => ({ ...flags, ...everywhere });
const flagWords = (row: Command): string =>
  Object.keys(flagsOf(row))
    .map((name) => `--${name}`)
    .join(' ');

/** Values of flags that have but a few: `--level`. */
const valueCases = (table: readonly Command[]): string[] => {
  const all = table.flatMap(({ flags }) => Object.entries(flags));
  const known = new Map(all.flatMap(([name, { among }]) => (among === undefined ? [] : [[name, among]])));
  return [...known].map(([name, among]) => `    --${name}) words="${among.join(' ')}" ;;`);
};

/** bash and zsh, which loads what is written for bash. */
function bash(table: readonly Command[]): string {
  const groups = firstWords(table).filter((first) => secondWords(table, first).length > 0);
  return [
    '_slipway() {',
    '  local word="${COMP_WORDS[COMP_CWORD]}" before="${COMP_WORDS[COMP_CWORD-1]}" words=""',
    '  if [ "$COMP_CWORD" -eq 1 ]; then',
    `    words="${firstWords(table).join(' ')} help"`,
    '  else',
    '    case "${COMP_WORDS[1]} ${COMP_WORDS[2]}" in',
    ...table.map(
      (row) => `    "${row.name}${row.name.includes(' ') ? '"' : ' "*'}) words="${flagWords(row)}" ;;`,
    ),
    ...groups.map((first) => `    "${first} "*) words="${secondWords(table, first).join(' ')}" ;;`),
    '    esac',
    '  fi',
    '  case "$before" in',
    ...valueCases(table),
    '  esac',
    '  COMPREPLY=($(compgen -W "$words" -- "$word"))',
    '}',
    'complete -o default -F _slipway slipway',
  ].join('\n');
}

const zsh = (table: readonly Command[]): string =>
  ['autoload -U +X compinit bashcompinit && compinit && bashcompinit', bash(table)].join('\n');

const quoted = (text: string): string => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;

function fish(table: readonly Command[]): string {
  const firsts = firstWords(table);
  const ofFirst = firsts.flatMap((first) => {
    const says = table.find(({ name }) => name === first)?.says ?? secondWords(table, first).join(', ');
    return `complete -c slipway -n __fish_use_subcommand -f -a ${first} -d ${quoted(says)}`;
  });
  const ofSecond = table.flatMap(({ name, says }) => {
    const [first = '', second] = name.split(' ');
    if (second === undefined) return [];
    return `complete -c slipway -n '__fish_seen_subcommand_from ${first}' -f -a ${second} -d ${quoted(says)}`;
  });
  const ofFlags = table.flatMap((row) =>
    Object.entries(flagsOf(row)).map(([flag, { short, value, says, among }]) => {
      const seen = row.name
        .split(' ')
        .map((word) => `__fish_seen_subcommand_from ${word}`)
        .join('; and ');
      const values =
        value === undefined ? '' : among === undefined ? ' -r' : ` -x -a ${quoted(among.join(' '))}`;
      return `complete -c slipway -n '${seen}' -l ${flag}${short === undefined ? '' : ` -s ${short}`}${values} -d ${quoted(says)}`;
    }),
  );
  return [...ofFirst, ...ofSecond, ...ofFlags].join('\n');
}

const scripts: Record<CompletedShell, (table: readonly Command[]) => string> = { bash, zsh, fish };

/** A script for a shell that completes commands and flags, made of the table. */
export const completionOf = (shell: CompletedShell, table: readonly Command[]): string =>
  scripts[shell](table);
