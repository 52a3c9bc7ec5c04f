import { type Command, everywhere, type Flag, type Flags } from './command.ts';

const FLAG_WIDTH = 24;
const NAME_WIDTH = 16;

/** A flag as it is written: `-f, --follow`, `--name NAME`. */
export const flagText = (name: string, { short, value }: Flag): string =>
  `${short === undefined ? '' : `-${short}, `}--${name}${value === undefined ? '' : ` ${value}`}`;

const flagLine = ([name, flag]: [string, Flag]): string =>
  `  ${(flag.short === undefined ? '    ' : '') + flagText(name, flag)}`.padEnd(FLAG_WIDTH + 6) +
  ` ${flag.says}${flag.among === undefined ? '' : `: ${flag.among.join(', ')}`}`;

const flagLines = (flags: Flags): string[] => Object.entries(flags).map(flagLine);

export const usageOf = ({ name, args, flags }: Command): string =>
  ['slipway', name, args, ...(Object.keys(flags).length > 0 ? ['[flags]'] : [])]
    .filter((word) => word !== '')
    .join(' ');

/** What `slipway help COMMAND` prints. */
export function helpOf(command: Command): string {
  const flags = flagLines(command.flags);
  return [
    command.says,
    '',
    `Usage: ${usageOf(command)}`,
    ...(command.more === undefined ? [] : ['', command.more]),
    ...(flags.length > 0 ? ['', 'Flags:', ...flags] : []),
    '',
    'Flags of every command:',
    ...flagLines(everywhere),
    '',
    'Examples:',
    ...command.examples.map((each) => `  ${each}`),
  ].join('\n');
}

/** What `slipway help` prints. */
export const helpOfAll = (table: readonly Command[]): string =>
  [
    'Usage: slipway <command> [flags]',
    '',
    ...table.map(({ name, says }) => `  ${name.padEnd(NAME_WIDTH)} ${says}`),
    '',
    "slipway help <command> tells a command's flags, with examples.",
    '',
    'Exit codes: 0 done, 1 refused or unreachable, 2 usage, 3 a revision failed, 4 interrupted, 5 timed out.',
  ].join('\n');
