import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { command } from '../shell/command.ts';
import { Ended, UsageError } from '../shell/ends.ts';
import { writeLink } from '../shell/link.ts';
import { nameFrom } from '../shell/names.ts';
import { type Kind, kindOf } from '../shell/project-kind.ts';
import { servedJson } from '../shell/served.ts';
import type { Shell } from '../shell/shell.ts';

/** Each is an example of the repository, fetched from the installation: they change with it, and are no part of this program. */
const templates = ['fastapi', 'langgraph-python', 'langgraph-js', 'mcp'] as const;
type Files = Record<string, string>;

export const init = command({
  name: 'init',
  args: '[FOLDER]',
  says: 'Make a folder ready to be deployed; an empty one gets a template',
  more: 'Writes slipway.json, langgraph.json where it finds a graph, and lines of .gitignore. It never overwrites.',
  examples: ['slipway init', 'slipway init agent --template fastapi'],
  flags: {
    template: { value: 'KIND', says: 'the project that an empty folder gets', among: templates },
    name: { value: 'NAME', says: "what the deployment is called (default: the folder's name)" },
  },
  async run(shell, { template, name: given }, [where = '.']) {
    const { output, world } = shell;
    const folder = resolve(world.cwd, where);
    const name = given ?? nameFrom(basename(folder));
    const isEmpty = !existsSync(folder) || readdirSync(folder).every((each) => each.startsWith('.'));
    const wanted = template ?? (isEmpty ? await askedTemplate(shell, folder) : undefined);
    const files = wanted === undefined ? {} : await templateFiles(shell, wanted);
    const written = writeNew(folder, files);
    const kind = kindOf(folder);
    if (kind.graphs !== undefined && !existsSync(join(folder, 'langgraph.json')))
      written.push(...writeNew(folder, { 'langgraph.json': langgraphJson(kind) }));
    if (ignore(folder, kind, world.environment)) written.push('.gitignore');
    if (!existsSync(join(folder, 'slipway.json'))) {
      writeLink(folder, name);
      written.push('slipway.json');
    }
    output.result(
      { folder, name, kind: kind.what ?? null, written },
      written.map((each) => join(where, each)),
    );
    if (kind.what === undefined)
      output.say(
        'Nothing was found that says how it is started, such as a `web:` line in a Procfile.',
        'yellow',
      );
    else output.say(`This is ${kind.what}. Next: slipway deploy${where === '.' ? '' : ` ${where}`}`);
    if (kind.lacks !== undefined) output.say(kind.lacks, 'yellow');
  },
});

async function askedTemplate({ canAsk, world }: Shell, folder: string): Promise<string> {
  const all = templates.join(', ');
  if (!canAsk) throw new UsageError(`${folder} is empty: --template is one of ${all}.`);
  const typed = (await world.stdin.line(`Template (${all}): `))?.trim() ?? '';
  const found = templates.find((each) => each === typed);
  if (found === undefined) throw new UsageError(`There is no template '${typed}'. Nothing was done.`);
  return found;
}

/** Of an installation, and so of somebody else: nothing outside of the folder. */
const SAFE_PATH = /^[a-z]\w*(?:[./-]\w+)*$/;

async function templateFiles(shell: Shell, template: string): Promise<Files> {
  const all = await servedJson<Record<string, Files>>(shell, 'templates.json');
  const files = Object.entries(all[template] ?? {});
  if (files.length === 0) throw new Ended(`${shell.access.url} has no template '${template}'.`);
  if (files.every(([path, text]) => SAFE_PATH.test(path) && typeof text === 'string'))
    return Object.fromEntries(files);
  throw new Ended(`The template '${template}' of ${shell.access.url} is refused: its paths.`);
}

/** All of them, or none where one is there already. */
function writeNew(folder: string, files: Files): string[] {
  const paths = Object.keys(files);
  const there = paths.find((path) => existsSync(join(folder, path)));
  if (there !== undefined)
    throw new Ended(`${join(folder, there)} is there already, and is not overwritten. Nothing was done.`);
  mkdirSync(folder, { recursive: true });
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text, { flag: 'wx' });
  }
  return paths;
}

const langgraphJson = ({ isPython, graphs }: Kind): string =>
  `${JSON.stringify({ ...(isPython && { dependencies: ['.'] }), graphs }, undefined, 2)}\n`;

/** Adds what is not ignored yet; true: something was added. */
function ignore(folder: string, { isPython }: Kind, environment: Shell['world']['environment']): boolean {
  const file = join(folder, '.gitignore');
  const text = existsSync(file) ? readFileSync(file, 'utf8') : '';
  const lines = new Set(text.split('\n').map((line) => line.trim().replace(/\/$/, '')));
  const isIgnored = (path: string) =>
    spawnSync('git', ['check-ignore', '--no-index', '-q', path], { cwd: folder, env: { ...environment } })
      .status === 0;
  const wanted = ['.env', '.langgraph_api/', ...(isPython ? ['.venv/', '__pycache__/'] : ['node_modules/'])];
  const missing = wanted.filter((path) => !lines.has(path.replace(/\/$/, '')) && !isIgnored(path));
  if (missing.length === 0) return false;
  const before = text === '' || text.endsWith('\n') ? text : `${text}\n`;
  writeFileSync(file, `${before}${missing.join('\n')}\n`);
  return true;
}
