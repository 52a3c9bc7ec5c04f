import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../../', import.meta.url));

/** What commands of a page need that is not on every machine, and who else runs them. */
export const needs = {
  agent: 'a deployment called agent; each row of the command table reads its own examples (unit/cli/shell)',
  aws: 'an account of AWS',
  clone: 'the whole clone and its packages; tests of their own run these scripts',
  github: 'a repository at a git host, and its CI',
  kubernetes: 'a cluster, or a registry of images',
  packages: 'packages of agents, which `npm run test:agents` installs',
  postgres: 'the dump of a database',
  terminal: 'somebody at a terminal: it asks, or goes on until Ctrl-C',
} as const;
type Need = keyof typeof needs;

/** A fenced block of a page, without what it is indented by. */
export type Block = {
  page: string;
  /** Of the line that opens it, from 1. */
  line: number;
  language: string;
  /** What it says it needs; undefined: it runs here. */
  need: string | undefined;
  text: string;
};

export const isNeed = (need: string): need is Need => Object.hasOwn(needs, need);

/** Every page that tells a reader to paste something. */
export const pages: readonly string[] = globSync(
  ['*.md', '{docs,statemachines}/**/*.md', '{examples,test}/**/README.md'],
  { cwd: root, exclude: (name) => name === 'node_modules' },
).toSorted();

/** The fenced blocks of a page of the repository, in their order. */
export function blocksOf(page: string): Block[] {
  const text = readFileSync(join(root, page), 'utf8');
  const fences = text.matchAll(/^( *)```(\w*)(?: needs=(\w+))?([^\n]*)\n([\s\S]*?)^\1```$/gm);
  return [...fences].map(({ index, 1: indent = '', 2: language = '', 3: need, 4: rest, 5: body = '' }) => {
    const line = text.slice(0, index).split('\n').length;
    if (rest !== '') throw new Error(`${page}:${line} has "${rest}" behind what opens the block`);
    const lines = body.split('\n').map((each) => each.replace(indent, ''));
    return { page, line, language, need, text: lines.join('\n') };
  });
}

/** The blocks of a page that run on any machine. */
export const commandsOf = (page: string): Block[] =>
  blocksOf(page).filter(({ language, need }) => language === 'sh' && need === undefined);
