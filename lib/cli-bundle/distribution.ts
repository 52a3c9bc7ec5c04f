import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { gzipSync } from 'node:zlib';
import { type CliFileFacts, type CliFiles, type CliManifest, MANIFEST_FILE } from '../adapters/cli-files.ts';
import { RELEASE_VERSION } from '../contract/version.ts';
import { tarOf } from '../tar.ts';
import { bundleCli } from './bundle.ts';

const root = new URL('../../', import.meta.url);
const PROGRAM = 'slipway.mjs';
const HASH_CHARACTERS = 16;

/** The examples that `slipway init` writes, one source for both: where each lies, and which files are the project. */
const templates: Record<string, { folder: string; files: readonly string[] }> = {
  fastapi: { folder: 'fastapi-agent', files: ['main.py', 'requirements.txt'] },
  'langgraph-python': {
    folder: 'shout-agent-python',
    files: ['agent.py', 'langgraph.json', 'requirements.txt'],
  },
  'langgraph-js': { folder: 'shout-agent', files: ['langgraph.json', 'package.json', 'src/agent.js'] },
  mcp: { folder: 'mcp-server/python', files: ['requirements.txt', 'server.py'] },
};

/** Everything that the command line is served as, by names; the manifest is one of them. */
export type CliDistribution = { manifest: CliManifest; files: ReadonlyMap<string, Buffer> };

/** Makes the files. The same sources give the same hashes. */
export async function makeCliDistribution(): Promise<CliDistribution> {
  const program = Buffer.from((await bundleCli()).text);
  const packed = Buffer.concat(tarOf(await packageFiles(program)));
  // Of what is packed: how well it is compressed depends on the zlib that does it.
  const packageName = `slipway-${sha256(packed).slice(0, HASH_CHARACTERS)}.tgz`;
  const files = new Map([
    [packageName, gzipSync(packed, { level: 9 })],
    [PROGRAM, program],
    ['templates.json', Buffer.from(JSON.stringify(await templateFiles()))],
  ]);
  const facts = (name: string): CliFileFacts => {
    const bytes = files.get(name) ?? Buffer.alloc(0);
    return { name, sha256: sha256(bytes), size_bytes: bytes.length };
  };
  const manifest = {
    version: RELEASE_VERSION,
    package: facts(packageName),
    program: facts(PROGRAM),
    templates: facts('templates.json'),
  };
  return { manifest, files: files.set(MANIFEST_FILE, Buffer.from(JSON.stringify(manifest))) };
}

const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

async function packageFiles(program: Buffer) {
  const described = {
    name: 'slipway',
    version: RELEASE_VERSION,
    description: 'Deploys to an installation of Slipway, shows and changes what runs there',
    license: 'Apache-2.0',
    type: 'module',
    bin: { slipway: PROGRAM },
    engines: { node: '>=20.12' },
  };
  return [
    { path: 'package/package.json', bytes: Buffer.from(`${JSON.stringify(described, undefined, 2)}\n`) },
    { path: `package/${PROGRAM}`, bytes: program, isExecutable: true },
    { path: 'package/LICENSE', bytes: await readFile(new URL('LICENSE', root)) },
  ];
}

async function templateFiles(): Promise<Record<string, Record<string, string>>> {
  const read = async ({ folder, files }: { folder: string; files: readonly string[] }) => {
    const texts = files.map(
      async (file) => [file, await readFile(new URL(`examples/${folder}/${file}`, root), 'utf8')] as const,
    );
    return Object.fromEntries(await Promise.all(texts));
  };
  const all = Object.entries(templates).map(async ([name, each]) => [name, await read(each)] as const);
  return Object.fromEntries(await Promise.all(all));
}

/** The files of a distribution that is made when it is first asked for. */
export function cliFilesOf(made: () => Promise<CliDistribution>): CliFiles {
  return {
    manifest: async () => (await made()).manifest,
    read: async (name) => (await made()).files.get(name),
  };
}
