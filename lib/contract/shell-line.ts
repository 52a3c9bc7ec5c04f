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
 * Lets the last command of a line take the shell's place: one process less, and what the group's first
 * process does is what the server does. Signals reach it then also where it is the only process that gets
 * them, as in a container. A line that the shell must see through (an assignment, a pipe, a trap) stays as
 * it is.
 */
export function execLine(line: string): string {
  const at = lastCommandAt(line);
  return at !== undefined && isCommand(line.slice(at)) ? `${line.slice(0, at)}exec ${line.slice(at)}` : line;
}

/** Where the last command of `a && b` begins, or the only one; undefined for a line of another kind. */
function lastCommandAt(line: string): number | undefined {
  if (/[;|()`\n]/.test(line) || /\btrap\b/.test(line)) return undefined;
  let at = 0;
  let quoted = '';
  for (let index = 0; index < line.length; index++) {
    const character = line.charAt(index);
    if (quoted !== '') {
      if (character === '\\' && quoted === '"') index++;
      else if (character === quoted) quoted = '';
    } else if (character === '\\') index++;
    else if (character === "'" || character === '"') quoted = character;
    // What follows is a comment, if the shell knows it as one.
    else if (character === '#') break;
    else if (character === '&') {
      if (line.charAt(index + 1) !== '&' || line.charAt(index + 2) === '&') return undefined;
      index++;
      at = index + 1;
    }
  }
  return quoted === '' ? at + (line.length - at - line.slice(at).trimStart().length) : undefined;
}
