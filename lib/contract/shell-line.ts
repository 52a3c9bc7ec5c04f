/** Words that only the shell itself understands at the start of a line. */
const SHELL_WORDS =
  /^(?:cd|export|set|unset|source|exec|eval|test|ulimit|umask|trap|wait|if|for|while|until|case|time|alias)$/;

const COMMAND = /^[A-Za-z0-9_./@+-]+(?=\s|$)/;

/** Whether a line begins with the name of a program. */
export function isCommand(line: string): boolean {
  const first = COMMAND.exec(line)?.[0];
  return first !== undefined && first !== '.' && !SHELL_WORDS.test(first);
}

/**
 * Lets a plain command take the shell's place: one process less, and what the group's first process does is
 * what the server does. A line that the shell must see through (several commands, an assignment) stays as it
 * is.
 */
export function execLine(line: string): string {
  return isCommand(line) && !/[;&|()`\n]/.test(line) ? `exec ${line}` : line;
}
