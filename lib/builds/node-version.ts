import { join } from 'node:path';
import { type PackageJson, readOwn } from './project.ts';

/** Which Node.js a project asks for. */
export type NodeWish = {
  /** Whether a major version, such as `22`, will do. */
  fits: (major: string) => boolean;
  /** What it asks for, for people: `.nvmrc asks for Node.js 20`. */
  from: string;
};

/** Files that name one version, as version managers know it. */
const FILES = ['.nvmrc', '.node-version'];

/** Names of the lines that are supported for long. */
const LINES: ReadonlyMap<string, string> = new Map([
  ['lts/gallium', '16'],
  ['lts/hydrogen', '18'],
  ['lts/iron', '20'],
  ['lts/jod', '22'],
  ['lts/krypton', '24'],
]);

/** A version or range is no longer than this; what is longer is none that people write. */
const CHARACTERS_MAX = 200;

/**
 * Which Node.js a project asks for, by the file that says it most exactly; undefined where it says nothing
 * that is known, such as `lts/*`.
 */
export async function nodeWish(
  root: string,
  folder: string,
  packageJson: PackageJson | undefined,
): Promise<NodeWish | undefined> {
  for (const file of FILES) {
    const [line = ''] = ((await readOwn(root, join(folder, file))) ?? '')
      .slice(0, CHARACTERS_MAX)
      .split('\n', 1);
    const named = line.trim().toLowerCase();
    const wanted = LINES.get(named) ?? /^v?(\d+)(?=\.|$)/.exec(named)?.[1];
    if (wanted !== undefined)
      return { fits: (major) => major === wanted, from: `${file} asks for Node.js ${named}` };
  }
  const range = packageJson?.nodeRange;
  if (range === undefined || range.length > CHARACTERS_MAX) return undefined;
  return {
    fits: (major) => isNodeInRange(Number(major), range),
    from: `engines of package.json asks for Node.js ${range}`,
  };
}

/** Whether some release of a major version is in a range such as `>=18.17 <23`, `^20`, `20.x || 22.x` or `18 - 20`. */
export function isNodeInRange(major: number, range: string): boolean {
  return range.split('||').some((part) => {
    const [from, to] = part.split(' - ', 2);
    return to === undefined ? isInAll(major, part) : isInAll(major, `>=${from?.trim()} <=${to.trim()}`);
  });
}

/** Whether all conditions of a range hold. */
function isInAll(major: number, range: string): boolean {
  let operator = '';
  for (const word of range.match(/[<>=~^]+|[\w.*+-]+/g) ?? []) {
    if (/^[<>=~^]/.test(word)) {
      operator = word;
      continue;
    }
    if (!holds(major, operator, word.replace(/^v/, '').split('.'))) return false;
    operator = '';
  }
  return true;
}

function holds(major: number, operator: string, [named = '', ...rest]: string[]): boolean {
  const at = /^\d+$/.test(named) ? Number(named) : undefined;
  if (at === undefined) return true;
  const isWhole = rest.every((part) => part === '0' || part === 'x' || part === '*');
  if (operator === '>=') return major >= at;
  if (operator === '>') return rest.length === 0 ? major > at : major >= at;
  if (operator === '<') return isWhole ? major < at : major <= at;
  if (operator === '<=') return major <= at;
  return major === at;
}
