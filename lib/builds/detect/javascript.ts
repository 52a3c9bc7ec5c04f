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
    if (file === undefined) return undefined;
    // What a build makes of it need not run as it stands there: its imports name what is made.
    const made = isBun(look) ? undefined : builtMain(look);
    if (made !== undefined) return { ...run(look, 'a Hono server', file, made), makes: made };
    return run(look, 'a Hono server', file, file);
  },
};

/** `server.js` is what `npm start` runs in a project without a start script. */
const MAIN_FILES = ['index', 'server'].flatMap((name) => [
  `${name}.js`,
  `${name}.mjs`,
  `${name}.cjs`,
  `${name}.ts`,
]);

/** The `main` file of package.json, if it is a script. */
function mainOf(look: Look): string | undefined {
  const own = packageJsonOf(look)?.main?.replace(/^\.\//, '');
  return own !== undefined && /\.[cm]?[jt]s$/.test(own) ? own : undefined;
}

/** The `main` file that the build script has to make, for it is not in the source. */
function builtMain(look: Look): string | undefined {
  const own = mainOf(look);
  const isBuilt = packageJsonOf(look)?.scripts.build !== undefined;
  return own === undefined || look.files.has(own) || !isBuilt ? undefined : own;
}

const mainFile: ServerKind = {
  looksFor: 'its `main` file, index.js or server.js',
  find(look) {
    if (packageJsonOf(look) === undefined) return undefined;
    const own = mainOf(look);
    if (own !== undefined && look.files.has(own)) return run(look, 'a Node.js server', 'package.json', own);
    const file = MAIN_FILES.find((one) => look.files.has(one));
    return file === undefined ? undefined : run(look, 'a Node.js server', file, file);
  },
};

/**
 * Comes after every other kind: npm writes a `main` into any package.json, also one that brings the styles of
 * a server in Python.
 */
export const builtMainFile: ServerKind = {
  looksFor: 'a `main` file that its build script makes',
  find(look) {
    const made = builtMain(look);
    if (made === undefined) return undefined;
    return { ...run(look, 'a Node.js server', 'package.json', made), makes: made };
  },
};

const isBun = ({ files, tools }: Look): boolean =>
  tools.has('bun') && (files.has('bun.lock') || files.has('bun.lockb'));

function run(look: Look, what: string, file: string, main: string): Server {
  const line = `${isBun(look) ? 'bun' : 'node'} ${quote(main)}`;
  return { what, file, line, from: `\`${line}\``, packages: true };
}

const DENO_MAIN = ['main.ts', 'main.js', 'server.ts', 'src/main.ts'];

export const deno: ServerKind = {
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

export const javaScriptKinds: readonly ServerKind[] = [framework, hono, mainFile];
