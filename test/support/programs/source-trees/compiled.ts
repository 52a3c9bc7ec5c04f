import { isTaken, type SourceTree } from './tree.ts';

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
      build: 'cargo build --release --bin api && mv target/release/api slipway-server && rm -rf target',
    }),
  },
];
