import { basename, dirname } from 'node:path';
import { quote } from '../plan.ts';
import type { Look, Server, ServerKind } from './server.ts';
import type { SourceFiles } from './source-files.ts';
import { textIn, tomlOf } from './toml.ts';

/** The program that a build makes, in the project's folder. */
const PROGRAM = 'slipway-server';

const isMain = (text: string): boolean => /^package main\b/m.test(text);

/** The folders of a Go module with a program each. */
function mainFolders(files: SourceFiles): string[] {
  const folders = [...files]
    .filter(([path, text]) => path.endsWith('.go') && !path.endsWith('_test.go') && isMain(text))
    .map(([path]) => (path.includes('/') ? `./${path.slice(0, path.lastIndexOf('/'))}` : '.'));
  return [...new Set(folders)];
}

const NO_GO = 'go.mod asks for go, which is not installed where this is built';

const go: ServerKind = {
  looksFor: 'go.mod with one package main, in its folder or in cmd',
  find({ files, tools }) {
    if (!files.has('go.mod')) return undefined;
    const mains = mainFolders(files);
    const own = mains.includes('.') ? '.' : (mains.find((one) => one === './cmd/server') ?? mains[0]);
    if (own === undefined || (mains.length > 1 && own !== '.' && own !== './cmd/server')) return undefined;
    if (!tools.has('go')) return { refused: NO_GO };
    const build = `go build -o ${PROGRAM} ${quote(own)}`;
    const line = `./${PROGRAM}`;
    return { what: 'a Go server', file: 'go.mod', line, from: `\`${line}\``, build, makes: PROGRAM };
  },
};

const NO_CARGO = 'Cargo.toml asks for cargo, which is not installed where this is built';

/** Builds a program, and leaves it alone: what cargo keeps to build again is a hundred times as large. */
const cargoBuild = (name: string, to: string): string =>
  `cargo build --release --target-dir target --bin ${name} && mv target/release/${name} ${PROGRAM} && rm -rf target${
    to === PROGRAM ? '' : ` && mkdir -p ${dirname(to)} && mv ${PROGRAM} ${to}`
  }`;

const rust: ServerKind = {
  looksFor: 'Cargo.toml with a src/main.rs',
  find({ files, tools }) {
    const name = textIn(tomlOf(files, 'Cargo.toml'), 'package', 'name');
    if (name === undefined || !/^[\w-]+$/.test(name) || !files.has('src/main.rs')) return undefined;
    if (!tools.has('cargo')) return { refused: NO_CARGO };
    const build = cargoBuild(name, PROGRAM);
    const line = `./${PROGRAM}`;
    return { what: 'a Rust server', file: 'Cargo.toml', line, from: `\`${line}\``, build, makes: PROGRAM };
  },
};

/** The program in the project's folder that a line starts: as it is written, and its path from there. */
function startedBy(line: string): { word: string; path: string } | undefined {
  const [word = ''] = line.split(/\s/, 1);
  const path = word.replace(/^\.\//, '');
  return path.split('/').every((part) => /^[\w-][\w.-]*$/.test(part)) ? { word, path } : undefined;
}

/**
 * How the program is built that a line of a Procfile or of the client starts, where its source is here in Go
 * or Rust and nothing else makes it; `line` is what starts it then. Undefined for any other line.
 */
export function programOfLine(
  line: string,
  { files, tools }: Look,
): Pick<Server, 'line' | 'build' | 'makes'> | { refused: string } | undefined {
  const started = startedBy(line);
  if (started === undefined || files.has(started.path)) return undefined;
  const { word, path } = started;
  const [, crate] = /^target\/release\/([\w-]+)$/.exec(path) ?? [];
  if (crate !== undefined && files.has('Cargo.toml'))
    return tools.has('cargo') ? { line, build: cargoBuild(crate, path), makes: path } : { refused: NO_CARGO };
  const main = goMainOf(files, path, word.includes('/'));
  if (main === undefined) return undefined;
  if (!tools.has('go')) return { refused: NO_GO };
  // A name alone is looked for on PATH, where Go's own tool would have put it.
  const makes = word.includes('/') ? path : `bin/${path}`;
  return {
    line: word.includes('/') ? line : line.replace(word, makes),
    build: `go build -o ${makes} ${quote(main)}`,
    makes,
  };
}

/** The names of the programs of a Go module. */
export function goPrograms(files: SourceFiles): string[] {
  const module = goModuleOf(files);
  return module === undefined ? [] : mainFolders(files).map((folder) => goNameOf(folder, module));
}

function goModuleOf(files: SourceFiles): string | undefined {
  return /^module[^\S\n]+(\S+)/m.exec(files.get('go.mod') ?? '')?.[1];
}

/** A program has the name of its folder; the one at the root that of the module, without its version. */
const goNameOf = (folder: string, module: string): string =>
  basename(folder === '.' ? module.replace(/\/v\d+$/, '') : folder);

/**
 * The folder of a Go module whose program has the name of this path, or of its only program, where the line
 * has a way to it.
 */
function goMainOf(files: SourceFiles, path: string, hasFolder: boolean): string | undefined {
  const module = goModuleOf(files);
  if (module === undefined) return undefined;
  const mains = mainFolders(files);
  const named = mains.find((folder) => goNameOf(folder, module) === basename(path));
  const [only] = mains;
  return named ?? (mains.length === 1 && hasFolder ? only : undefined);
}

export const compiledKinds: readonly ServerKind[] = [go, rust];
