import { readFileSync } from 'node:fs';

const tokens = readFileSync(new URL('../../../console/style/tokens.css', import.meta.url), 'utf8');

type Both = readonly [light: string, dark: string];

/** A colour of the console, light and dark. Throws for a name that it does not have. */
function token(name: string): Both {
  const [, light, dark] = new RegExp(`--${name}:\\s*light-dark\\((#\\w+), (#\\w+)\\)`).exec(tokens) ?? [];
  if (light === undefined || dark === undefined) throw new Error(`the console has no colour ${name}`);
  return [light, dark];
}

const shared = ['bg', 'surface', 'line', 'line-2', 'ink', 'ink-2', 'ink-3'] as const;
const states = ['ok', 'ok-bg', 'busy', 'busy-bg', 'warn', 'warn-bg', 'bad', 'bad-bg'] as const;

/** Those of the console, and one of pictures alone: the ground of a group, in which white boxes lie. */
export const colours: Readonly<Record<string, Both>> = {
  ...Object.fromEntries([...shared, ...states].map((name) => [name, token(name)])),
  group: ['#eff1f3', '#14181d'],
  idle: token('ink-3'),
  'idle-bg': token('selected'),
};
