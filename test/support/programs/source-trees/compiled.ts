import { isTaken, type SourceTree } from './tree.ts';

const COMMANDED = ['a server with a command of its own', 'Procfile'] as const;

export const compiledTrees: readonly SourceTree[] = [
  {
    name: 'Go at the root',
    tools: ['go'],
    files: { 'go.mod': 'module x\n', 'main.go': 'package main\n', 'main_test.go': 'package main\n' },
    expected: isTaken('a Go server', 'go.mod', './slipway-server', { build: 'go build -o slipway-server .' }),
  },
  {
    name: 'Go in a folder of cmd',
    tools: ['go'],
    files: { 'go.mod': 'module x\n', 'cmd/api/main.go': '// x\npackage main\n', 'lib.go': 'package x\n' },
    expected: isTaken('a Go server', 'go.mod', './slipway-server', {
      build: 'go build -o slipway-server ./cmd/api',
    }),
  },
  {
    name: 'Go where there is none',
    files: { 'go.mod': 'module x\n', 'main.go': 'package main\n' },
    expected: { refused: 'go.mod asks for go, which is not installed where this is built' },
    inImages: isTaken('a Go server', 'go.mod', './slipway-server', { build: 'go build -o slipway-server .' }),
  },
  {
    name: 'Rust',
    tools: ['cargo'],
    files: { 'Cargo.toml': '[package]\nname = "api"\nversion = "0.1.0"\n', 'src/main.rs': 'fn main() {}\n' },
    expected: isTaken('a Rust server', 'Cargo.toml', './slipway-server', {
      build:
        'cargo build --release --target-dir target --bin api && mv target/release/api slipway-server && rm -rf target',
    }),
  },
  {
    name: 'a Procfile that starts what Go puts on PATH',
    tools: ['go'],
    files: {
      Procfile: 'web: getting-started --port $PORT\n',
      'go.mod': 'module example.com/getting-started/v2\n',
      'main.go': 'package main\n',
    },
    expected: isTaken(...COMMANDED, 'bin/getting-started --port $PORT', {
      build: 'go build -o bin/getting-started .',
    }),
  },
  {
    name: 'a Procfile that starts one program of several in Go',
    tools: ['go'],
    files: {
      Procfile: 'web: ./bin/api\n',
      'go.mod': 'module x\n',
      'cmd/api/main.go': 'package main\n',
      'cmd/other/main.go': 'package main\n',
    },
    expected: isTaken(...COMMANDED, './bin/api', { build: 'go build -o bin/api ./cmd/api' }),
  },
  {
    name: 'a Procfile that starts the one program in Go by a name of its own',
    tools: ['go'],
    files: { Procfile: 'web: ./server\n', 'go.mod': 'module x\n', 'main.go': 'package main\n' },
    expected: isTaken(...COMMANDED, './server', { build: 'go build -o server .' }),
  },
  {
    name: 'a Procfile that starts a script beside a program in Go',
    tools: ['go'],
    files: { Procfile: 'web: ./run.sh\n', 'run.sh': '', 'go.mod': 'module x\n', 'main.go': 'package main\n' },
    expected: isTaken(...COMMANDED, './run.sh'),
  },
  {
    name: 'a Procfile that starts a program in Rust',
    tools: ['cargo'],
    files: {
      Procfile: 'web: ./target/release/api\n',
      'Cargo.toml': '[package]\nname = "api"\nversion = "0.1.0"\n',
      'src/main.rs': 'fn main() {}\n',
    },
    expected: isTaken(...COMMANDED, './target/release/api', {
      build:
        'cargo build --release --target-dir target --bin api && mv target/release/api slipway-server && rm -rf target && mkdir -p target/release && mv slipway-server target/release/api',
    }),
  },
];
