import { quote } from '../plan.ts';
import type { ServerKind } from './server.ts';
import { textIn, tomlOf } from './toml.ts';

/** The program that a build makes, in the project's folder. */
const PROGRAM = 'slipway-server';

const isMain = (text: string): boolean => /^package main\b/m.test(text);

const go: ServerKind = {
  looksFor: 'go.mod with one package main, in its folder or in cmd',
  find({ files, tools }) {
    if (!files.has('go.mod')) return undefined;
    const folders = [...files]
      .filter(([path, text]) => path.endsWith('.go') && !path.endsWith('_test.go') && isMain(text))
      .map(([path]) => (path.includes('/') ? `./${path.slice(0, path.lastIndexOf('/'))}` : '.'));
    const mains = [...new Set(folders)];
    const own = mains.includes('.') ? '.' : (mains.find((one) => one === './cmd/server') ?? mains[0]);
    if (own === undefined || (mains.length > 1 && own !== '.' && own !== './cmd/server')) return undefined;
    if (!tools.has('go'))
      return { refused: 'go.mod asks for go, which is not installed where this is built' };
    const build = `go build -o ${PROGRAM} ${quote(own)}`;
    const line = `./${PROGRAM}`;
    return { what: 'a Go server', file: 'go.mod', line, from: `\`${line}\``, build, makes: PROGRAM };
  },
};

const rust: ServerKind = {
  looksFor: 'Cargo.toml with a src/main.rs',
  find({ files, tools }) {
    const name = textIn(tomlOf(files, 'Cargo.toml'), 'package', 'name');
    if (name === undefined || !/^[\w-]+$/.test(name) || !files.has('src/main.rs')) return undefined;
    if (!tools.has('cargo'))
      return { refused: 'Cargo.toml asks for cargo, which is not installed where this is built' };
    // What cargo keeps to build again is a hundred times the program.
    const build = `cargo build --release --bin ${name} && mv target/release/${name} ${PROGRAM} && rm -rf target`;
    const line = `./${PROGRAM}`;
    return { what: 'a Rust server', file: 'Cargo.toml', line, from: `\`${line}\``, build, makes: PROGRAM };
  },
};

export const compiledKinds: readonly ServerKind[] = [go, rust];
