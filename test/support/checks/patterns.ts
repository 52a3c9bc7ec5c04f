import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  type CallExpression,
  type Expression,
  type NewExpression,
  parseSync,
  type SpreadElement,
  Visitor,
} from 'oxc-parser';

/** A regular expression of the program. `source` is undefined where only the run of it says what it is. */
export type Pattern = { file: string; written: string; source: string | undefined; flags: string };

/** Every regular expression, and every text that one is made of (`new RegExp(…)`), below the folders. */
export async function patternsIn(folders: readonly string[]): Promise<Pattern[]> {
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
