/** These words come before the program that a command starts. */
const BEFORE = new Set(['exec', 'env', 'time', 'nice', 'nohup']);
/** They run scripts of package.json by name. */
const RUNNERS = new Set(['npm', 'pnpm', 'yarn', 'bun']);

/** The names of the programs that lines of shell start, also by scripts of package.json that they run. */
export function programsOf(
  lines: readonly string[],
  scripts: Readonly<Record<string, string>>,
): ReadonlySet<string> {
  const programs = new Set<string>();
  const seen = new Set<string>();
  const queue = lines.flatMap(commandsIn);
  // A script may lead to another one, as far as there are any.
  for (let words = queue.shift(); words !== undefined; words = queue.shift()) {
    const at = words.findIndex((word) => !BEFORE.has(word) && !/^\w+=/.test(word));
    const program = words[at];
    if (program === undefined) continue;
    programs.add(program);
    const names = RUNNERS.has(program) ? words.slice(at + 1) : [];
    for (const name of names.flatMap((word) => [`pre${word}`, word, `post${word}`])) {
      const script = Object.hasOwn(scripts, name) && !seen.has(name) ? scripts[name] : undefined;
      seen.add(name);
      if (script !== undefined) queue.push(...commandsIn(script));
    }
  }
  return programs;
}

/** The words of each command in a line. */
const commandsIn = (line: string): string[][] =>
  line.split(/&&|\|\||[;|&()\n]/).map((command) => command.split(/\s+/).filter((word) => word !== ''));
