import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import manifest from '../package.json' with { type: 'json' };

/**
 * Packs the client of the API, with its types, as a package for npm: `node bin/pack-client.ts [FOLDER]`
 * prints the path of the file that it has written there.
 */
const root = fileURLToPath(new URL('..', import.meta.url));
const run = promisify(execFile);

/**
 * The types of the rows as they are without the schemas that they are made from, so that a package has no
 * need of those. A compiler writes a type out where its name is known to nobody else.
 */
const ROWS = `
import type { Answer, AnyEndpoint, Ask, Endpoint, StreamEndpoint, Streamed, UnkeptEndpoint } from 'ENDPOINTS';
function written() {
  type Whole<T> = T extends string | number | boolean | null | undefined | Date
    ? T
    : T extends readonly (infer Each)[]
      ? T extends unknown[] ? Whole<Each>[] : readonly Whole<Each>[]
      : T extends object
        ? { [K in keyof T]: Whole<T[K]> } & {}
        : T;
  type Written = {
    [E in AnyEndpoint]: {
      ask: Whole<Ask<E>>;
      answer: E extends Endpoint ? Whole<Answer<E>> : never;
      streamed: E extends StreamEndpoint ? Whole<Streamed<E>> : never;
      isUnkept: E extends UnkeptEndpoint ? true : false;
    };
  };
  return null as unknown as Written;
}
export const rows = written();
`;

/** What `lib/client/endpoints.ts` exports, of the types that are written out. */
const ENDPOINTS = `
type Rows = typeof rows;
type Having<Shape> = { [E in AnyEndpoint]: Rows[E] extends Shape ? E : never }[AnyEndpoint];
export type AnyEndpoint = keyof Rows;
export type TextEndpoint = Having<{ answer: never }>;
export type Endpoint = Exclude<AnyEndpoint, TextEndpoint>;
export type UnkeptEndpoint = Having<{ isUnkept: true }>;
export type Ask<E extends AnyEndpoint> = Rows[E]['ask'];
export type Answer<E extends Endpoint> = Rows[E]['answer'];
export type ListEndpoint = Extract<Having<{ answer: { resources: unknown[]; offset: number } }>, Endpoint>;
export type Listed<E extends ListEndpoint> = Rows[E]['answer']['resources'][number];
export type StreamEndpoint = Exclude<Endpoint, Having<{ streamed: never }>>;
export type Streamed<E extends StreamEndpoint> = Rows[E]['streamed'];
`;

const folder = await mkdtemp(join(tmpdir(), 'slipway-client-'));
try {
  process.stdout.write(`${await packInto(resolve(process.argv[2] ?? '.'))}\n`);
} finally {
  await rm(folder, { recursive: true });
}

async function packInto(target: string): Promise<string> {
  await build({
    entryPoints: [join(root, 'lib/client/index.ts')],
    bundle: true,
    minify: true,
    format: 'esm',
    target: ['node20', 'chrome120', 'firefox130', 'safari18'],
    outfile: join(folder, 'index.js'),
  });
  await writeTypes();
  const packed = {
    name: 'slipway-client',
    version: manifest.version,
    description: 'A client of the API of Slipway',
    license: manifest.license,
    type: 'module',
    sideEffects: false,
    engines: { node: '>=20' },
    exports: { types: './index.d.ts', default: './index.js' },
    files: ['*.js', '*.d.ts'],
  };
  await writeFile(join(folder, 'package.json'), JSON.stringify(packed, null, 2));
  const { stdout } = await run('npm', ['pack', '--silent', '--pack-destination', target], { cwd: folder });
  return join(target, stdout.trim());
}

/** Beside the client's own types, those of the rows. */
async function writeTypes(): Promise<void> {
  const client = join(root, 'lib/client');
  const rows = join(folder, 'rows.mts');
  await writeFile(rows, ROWS.replace('ENDPOINTS', join(client, 'endpoints.ts')));
  const out = join(folder, 'types');
  const compilerOptions = {
    noEmit: false,
    declaration: true,
    emitDeclarationOnly: true,
    incremental: false,
    tsBuildInfoFile: null,
    outDir: out,
    rootDir: '/',
    typeRoots: [join(root, 'node_modules/@types')],
  };
  const settings = join(folder, 'tsconfig.json');
  const files = [join(client, 'index.ts'), rows];
  const all = { extends: join(root, 'tsconfig.json'), compilerOptions, files, include: [], exclude: [] };
  await writeFile(settings, JSON.stringify(all));
  await run(join(root, 'node_modules/.bin/tsc'), ['--project', settings]);
  for (const name of ['index', 'client', 'refusal', 'request']) {
    const text = await readFile(join(out, client, `${name}.d.ts`), 'utf8');
    await writeFile(join(folder, `${name}.d.ts`), text.replaceAll(/(from '\.\/[\w-]+)\.ts'/g, "$1.js'"));
  }
  const source = await readFile(join(client, 'endpoints.ts'), 'utf8');
  const named = source.slice(source.indexOf('export type Deployment ='));
  const written = await readFile(join(out, folder, 'rows.d.mts'), 'utf8');
  await writeFile(
    join(folder, 'endpoints.d.ts'),
    written.replace('export declare', 'declare') + ENDPOINTS + named,
  );
  await Promise.all([rm(out, { recursive: true }), rm(settings), rm(rows)]);
}
