import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  type CallExpression,
  type Expression,
  type NewExpression,
  parseSync,
  type SpreadElement,
  Visitor,
} from 'oxc-parser';
import { check } from 'recheck';
import { describe, expect, it } from 'vitest';
import packages from '../../../package.json' with { type: 'json' };

/** A regular expression of the program. `source` is undefined where only the run of it says what it is. */
type Pattern = { file: string; written: string; source: string | undefined; flags: string };

/** Every regular expression, and every text that one is made of (`new RegExp(…)`), below the folders. */
async function patternsIn(folders: readonly string[]): Promise<Pattern[]> {
  const names = folders.map(async (folder) =>
    (await readdir(folder, { recursive: true })).map((name) => join(folder, name)),
  );
  const files = (await Promise.all(names)).flat().filter((file) => /\.tsx?$/.test(file));
  return (await Promise.all(files.sort().map(patternsOf))).flat();
}

async function patternsOf(file: string): Promise<Pattern[]> {
  const text = await readFile(file, 'utf8');
  const { program } = parseSync(file, text);
  const texts = new Map<string, Expression>();
  const patterns: Pattern[] = [];
  const made = ({ callee, arguments: [source, flags], start, end }: NewExpression | CallExpression) => {
    if (callee.type !== 'Identifier' || callee.name !== 'RegExp') return;
    patterns.push({
      file,
      written: text.slice(start, end),
      source: valueOf(source, texts),
      flags: valueOf(flags, texts) ?? '',
    });
  };
  new Visitor({
    VariableDeclarator({ id, init }) {
      if (id.type === 'Identifier' && init !== null) texts.set(id.name, init);
    },
  }).visit(program);
  new Visitor({
    Literal(node) {
      if (!('regex' in node)) return;
      const { pattern, flags } = node.regex;
      patterns.push({ file, written: `/${pattern}/${flags}`, source: pattern, flags });
    },
    NewExpression: made,
    CallExpression: made,
  }).visit(program);
  return patterns;
}

/** The text that constants of the same file make, if they do. */
function valueOf(
  node: Expression | SpreadElement | undefined,
  texts: ReadonlyMap<string, Expression>,
): string | undefined {
  if (node?.type === 'Literal') return typeof node.value === 'string' ? node.value : undefined;
  if (node?.type === 'Identifier') return valueOf(texts.get(node.name), texts);
  if (node?.type !== 'TemplateLiteral') return undefined;
  const held = node.expressions.map((expression) => valueOf(expression, texts));
  if (held.includes(undefined)) return undefined;
  return node.quasis.map(({ value }, at) => (value.cooked ?? '') + (held[at] ?? '')).join('');
}

/**
 * Patterns that the check finds super-linear, or cannot decide on, as they are written, and why they may
 * stay.
 */
const exceptions: Record<string, string> = {
  '/\\/+$/': 'Of addresses and folders: at most 2,048 characters of a request, or of the operator.',
  [String.raw`/build-backend\s*=\s*["'](setuptools\.build_meta|hatchling\.build|poetry\.core\.masonry\.api|flit_core\.buildapi|pdm\.backend|uv_build)["']/`]:
    'Undecided. It begins with a word; the spaces behind it hold no such word.',
  [String.raw`/couldn't find key (\S+) in Secret (?:\S+\/)?(\S+)/i`]:
    'Undecided. Each part ends at a space, so none goes past the next beginning.',
  [String.raw`/"(?:[^"\\]|\\.)*"|\b(?:true|false|null)\b/g`]:
    'Undecided. Of JSON that the console has written: each of its texts ends.',
  [String.raw`/"(?:[^"\\\n]|\\.){0,4000}"|'(?:[^'\\\n]|\\.){0,4000}'|\b(?:import|from|as|for|of|in|await|const|print|new|True|False|None|true|false|null|curl|jq)\b|\b\d+(?:\.\d+)?\b/g`]:
    'Undecided. No text in it is longer than 4,000 characters.',
  '/[-_]+$/': 'Undecided. Of names that are cut to 63 characters first.',
  'new RegExp(`^(${IMAGE_NAME})(?::${TAG})?(?:@(?:${DIGEST}))?$`)':
    'Undecided. The growth of names of images is measured in growth.test.ts.',
  [String.raw`new RegExp(${'`'}"\\$(${'$'}{Object.values(secretFields).join('|')})"${'`'}, 'g')`]:
    'Of words of the console.',
  'new RegExp(`^${PREFIX}[0-9A-Za-z]{${SECRET_DIGITS + CHECKSUM_DIGITS}}$`)': 'Of one length.',
  "new RegExp(fallback.onOutput, 'i')":
    'Of plans: two patterns of lib/builds that begin with a word; a line has at most 16 KiB.',
  [String.raw`new RegExp(${'`'}^${'$'}{name}-([^-]+)\\.dist-info$${'`'})`]:
    'Of names of files that we installed.',
  'new RegExp(`^${escaped}/?$`)': 'Of the routes: parts of a path between slashes.',
  [String.raw`new RegExp(${'`'}${'$'}{BEGINNING}${'$'}{RegExp.escape(form)}(?![\\w-])${'`'}, 'g')`]:
    'Of folders of this machine. What is looked for before one ends at the colour that ends there.',
  "new RegExp(old, 'gm')": 'Of what we write into the scripts of an environment, at most some kilobytes.',
};

const FOLDERS = ['lib', 'functions', 'console'];
/**
 * To decide on one takes milliseconds, or a second; on a busy machine many times that. The check knows no
 * measure but the clock, so what must be decided has as long as anything that a test waits for.
 */
const TIMEOUT_MILLISECONDS = 240_000;
/** For what is known to be undecided in a minute. */
const EXCEPTION_TIMEOUT_MILLISECONDS = 10_000;
/** Where the checker tries texts, their steps decide; by seconds a busy machine found safe patterns slow. */
const BY_COUNTS_ALONE = {
  attackTimeout: null,
  incubationTimeout: null,
  seedingTimeout: null,
  recallTimeout: null,
};
const UNKNOWN = 'unknown';
const CACHE_FOLDER = 'node_modules/.cache/slipway-patterns';
const CACHE = `${CACHE_FOLDER}/recheck-${packages.devDependencies.recheck}.json`;

/** What was decided before is true for as long as the checker is the same. */
async function earlier(): Promise<Record<string, string>> {
  const text = await readFile(CACHE, 'utf8').catch(() => '{}');
  const parsed: unknown = JSON.parse(text);
  return Object.fromEntries(
    Object.entries(parsed ?? {}).flatMap(([key, status]) =>
      typeof status === 'string' ? [[key, status]] : [],
    ),
  );
}

async function statusOf({ source, flags, written }: Pattern, known: Record<string, string>): Promise<string> {
  if (source === undefined) return UNKNOWN;
  const key = `/${source}/${flags}`;
  const found = known[key];
  if (found !== undefined) return found;
  const timeout = written in exceptions ? EXCEPTION_TIMEOUT_MILLISECONDS : TIMEOUT_MILLISECONDS;
  const result = await check(source, flags, { timeout, ...BY_COUNTS_ALONE });
  const status = result.status === 'vulnerable' ? result.complexity.summary : result.status;
  // A machine with more time may decide on what nothing else is known of.
  if (status !== UNKNOWN || written in exceptions) known[key] = status;
  return status;
}

describe('the regular expressions of the program', () => {
  it('take time in proportion to the text, or it is said why they may not', async () => {
    process.env.RECHECK_BACKEND = 'pure';
    const known = await earlier();
    const patterns = await patternsIn(FOLDERS);
    expect(patterns.length).toBeGreaterThan(250);
    const wrong: string[] = [];
    for (const pattern of patterns) {
      const status = await statusOf(pattern, known);
      const reason = exceptions[pattern.written];
      // What is always found to be safe is no exception.
      if (status === 'safe' ? reason?.startsWith('Undecided') === false : reason === undefined) {
        wrong.push(`${pattern.file}: ${pattern.written}: ${status}`);
      }
    }
    await mkdir(CACHE_FOLDER, { recursive: true });
    await writeFile(CACHE, JSON.stringify(known));
    expect(wrong).toEqual([]);
  });

  it('have no exception that is no more needed', async () => {
    const written = new Set((await patternsIn(FOLDERS)).map((pattern) => pattern.written));
    expect(Object.keys(exceptions).filter((pattern) => !written.has(pattern))).toEqual([]);
  });

  it.each([
    ['/^(?:[[(]?[\\d:T.,Z+/\\- ]+[\\])]?\\s*)?[[(<]?([A-Za-z]+)(?=[\\])>:|\\s]|$)/', false],
    ['/(a|a)*$/', false],
    ['/^a+b$/', true],
  ])('are told apart: %s', async (written, isSafe) => {
    process.env.RECHECK_BACKEND = 'pure';
    const { status } = await check(written.slice(1, -1), '', { timeout: TIMEOUT_MILLISECONDS });
    expect(status === 'safe').toBe(isSafe);
  });
});
