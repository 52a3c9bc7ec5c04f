import { startScriptLine } from '../../contract/server-start.ts';
import { quote } from '../plan.ts';
import { type PackageJson, parsePackageJson } from '../project.ts';
import type { Look, Server, ServerKind } from './server.ts';

const packageJsonOf = ({ files }: Look): PackageJson | undefined => {
  const text = files.get('package.json');
  return text === undefined ? undefined : parsePackageJson(text);
};

export const startScript: ServerKind = {
  looksFor: 'a `start` script in package.json',
  find(look) {
    const line = startScriptLine(packageJsonOf(look)?.scripts ?? {});
    if (line === undefined) return undefined;
    const from = 'the start script of package.json';
    return { what: 'a Node.js server', file: 'package.json', line, from, packages: true };
  },
};

type Framework = { package: string; what: string; build: string; line: string };

/** Frameworks that bring a program to build and to start them. */
const FRAMEWORKS: readonly Framework[] = [
  {
    package: 'next',
    what: 'a Next.js app',
    build: 'npx next build',
    line: 'next start --hostname $HOST --port $PORT',
  },
  { package: 'mastra', what: 'a Mastra app', build: 'npx mastra build', line: 'mastra start' },
];

const framework: ServerKind = {
  looksFor: 'next or mastra among its dependencies',
  find(look) {
    const json = packageJsonOf(look);
    const found = FRAMEWORKS.find((one) => json?.dependencies.has(one.package));
    if (json === undefined || found === undefined) return undefined;
    const build = json.scripts.build === undefined ? { build: found.build } : {};
    const from = `\`${found.line}\``;
    return { what: found.what, file: 'package.json', line: found.line, from, packages: true, ...build };
  },
};

const HONO_FILES = ['src/index', 'src/server', 'src/main', 'index', 'server', 'main'].flatMap((name) =>
  ['ts', 'mts', 'js', 'mjs'].map((extension) => `${name}.${extension}`),
);

const hono: ServerKind = {
  looksFor: 'hono with a file that calls `serve(…)`',
  find(look) {
    if (!packageJsonOf(look)?.dependencies.has('hono')) return undefined;
    const file = HONO_FILES.find((one) => /\bserve\s*\(/.test(look.files.get(one) ?? ''));
    return file === undefined ? undefined : run(look, 'a Hono server', file, file);
  },
};

/** `server.js` is what `npm start` runs in a project without a start script. */
const MAIN_FILES = ['index', 'server'].flatMap((name) => [
  `${name}.js`,
  `${name}.mjs`,
  `${name}.cjs`,
  `${name}.ts`,
]);

const mainFile: ServerKind = {
  looksFor: 'its `main` file, index.js or server.js',
  find(look) {
    const json = packageJsonOf(look);
    if (json === undefined) return undefined;
    const own = json.main?.replace(/^\.\//, '');
    const isMade = json.scripts.build !== undefined;
    if (own !== undefined && /\.[cm]?[jt]s$/.test(own) && (look.files.has(own) || isMade))
      return { ...run(look, 'a Node.js server', 'package.json', own), makes: own };
    const file = MAIN_FILES.find((one) => look.files.has(one));
    return file === undefined ? undefined : run(look, 'a Node.js server', file, file);
  },
};

function run({ files, tools }: Look, what: string, file: string, main: string): Server {
  const isBun = tools.has('bun') && (files.has('bun.lock') || files.has('bun.lockb'));
  const line = `${isBun ? 'bun' : 'node'} ${quote(main)}`;
  return { what, file, line, from: `\`${line}\``, packages: true };
}

const DENO_MAIN = ['main.ts', 'main.js', 'server.ts', 'src/main.ts'];

const deno: ServerKind = {
  looksFor: 'deno.json with a `start` task or a main.ts',
  find({ files, tools }) {
    const file = ['deno.json', 'deno.jsonc'].find((one) => files.has(one));
    if (file === undefined) return undefined;
    const hasTask = /"start"\s*:/.test(files.get(file) ?? '');
    const main = DENO_MAIN.find((one) => files.has(one));
    if (!hasTask && main === undefined) return undefined;
    if (!tools.has('deno'))
      return { refused: `${file} asks for deno, which is not installed where this is built` };
    const line = hasTask ? 'deno task start' : `deno run --allow-all ${main}`;
    return { what: 'a Deno server', file, line, from: `\`${line}\`` };
  },
};

export const javaScriptKinds: readonly ServerKind[] = [framework, hono, mainFile, deno];
