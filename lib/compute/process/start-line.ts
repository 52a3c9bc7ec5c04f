import { execLine, isCommand } from '../../contract/shell-line.ts';

/**
 * How a server is started: `words` is one plain command, which needs no shell, `line` is one for a shell.
 * `dropsNames`: between its start and the server a shell may take variables away.
 */
export type Start =
  | { kind: 'words'; words: (port: number) => [command: string, ...args: string[]]; dropsNames: boolean }
  | { kind: 'line'; line: string; dropsNames: true };

/**
 * A word that a shell would pass on as it is, but for the port that we choose. Characters of which a shell
 * makes something else in any place are not in it.
 */
const PLAIN_WORD = /^(?:[A-Za-z0-9_./@+:=,%-]|\$PORT(?![A-Za-z0-9_])|\$\{PORT\}|"\$PORT"|"\$\{PORT\}")+$/;
const PORT_IN_WORD = /"?\$(?:PORT|\{PORT\})"?/g;

/** They run what they start by a shell of their own, or are one. */
const WITH_SHELL = /(?:^|\/)(?:npm|npx|pnpm|pnpx|yarn|sh|dash|ash|ksh)$/;

/** The names that a POSIX shell knows as variables; it need not pass on others. */
const SHELL_NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;

/** A command and its arguments, as they stand in a line that a person has written. */
export function startOf(line: string): Start {
  const words = line.split(/[ \t]+/).filter((word) => word !== '');
  const [command] = words;
  if (command === undefined || !isCommand(line) || !words.every((word) => PLAIN_WORD.test(word)))
    return { kind: 'line', line: execLine(line), dropsNames: true };
  const args = words.slice(1);
  return {
    kind: 'words',
    words: (port) => [command, ...args.map((word) => word.replaceAll(PORT_IN_WORD, String(port)))],
    dropsNames: WITH_SHELL.test(command),
  };
}

/** Those of these names of variables that a shell may not pass on. */
export const namesShellsDrop = (names: readonly string[]): string[] =>
  names.filter((name) => !SHELL_NAME.test(name));
