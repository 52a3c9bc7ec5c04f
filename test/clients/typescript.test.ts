import { existsSync } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openApiDocument } from '../../lib/contract/openapi/document.ts';
import { routes } from '../../lib/contract/routes/index.ts';
import { ProcessSupervisor } from '../../lib/processes/supervisor.ts';
import { root } from '../aws/emulator.ts';
import { run } from '../support/programs/python-tools.ts';
import { documentExamples, sampleValues } from './values.ts';

/** The generator does not run with the TypeScript of this repository: both are in a folder of their own. */
const packages = { 'openapi-typescript': '7.13.0', typescript: '5.9.3' };
const versions = Object.entries(packages).map(([name, version]) => `${name}@${version}`);
const folder = join(root, 'node_modules/.cache/slipway-clients', versions.join('_'));

const processes = new ProcessSupervisor();

async function install(): Promise<void> {
  const done = join(folder, 'installed');
  if (existsSync(done)) return;
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'package.json'), JSON.stringify({ private: true, type: 'module' }));
  await run(processes, 'npm', ['install', '--save-exact', '--no-audit', '--no-fund', ...versions], {
    cwd: folder,
  });
  await writeFile(done, '');
}

const written = (value: unknown): string => JSON.stringify(value, null, 2);

/** A program that has a value of every schema, and all examples of the description. */
function program(): string {
  const examples = documentExamples(openApiDocument(routes)).map(({ operation, status, value }) => {
    const place =
      status === undefined
        ? "NonNullable<operations['OP']['requestBody']>"
        : `operations['OP']['responses'][${status}]`;
    const type = `${place.replace('OP', operation)}['content']['application/json']`;
    return `export const ${operation}${status ?? ''}: ${type} = ${written(value)};`;
  });
  return [
    "import type { components, operations } from './api.js';",
    "type Schemas = components['schemas'];",
    `export const values: { [Name in keyof Schemas]: Schemas[Name] } = ${written(sampleValues())};`,
    ...examples,
  ].join('\n');
}

const compilerOptions = {
  strict: true,
  exactOptionalPropertyTypes: true,
  noEmit: true,
  target: 'es2022',
  module: 'nodenext',
  types: [],
};

beforeAll(async () => {
  await install();
  await writeFile(join(folder, 'tsconfig.json'), written({ compilerOptions, files: ['program.ts'] }));
  await writeFile(join(folder, 'program.ts'), program());
  await writeFile(join(folder, 'openapi.json'), written(openApiDocument(routes)));
});
afterAll(() => processes.close());

const runPackage = (file: string, args: string[]): Promise<string> =>
  run(processes, 'node', [join(folder, 'node_modules', file), ...args], { cwd: folder });

it('openapi-typescript makes types that a program can have a value of, each of them', async () => {
  const said = await runPackage('openapi-typescript/bin/cli.js', ['openapi.json', '--output', 'api.d.ts']);
  expect(said).not.toMatch(/warn|error/i);
  await expect(runPackage('typescript/bin/tsc', ['--project', '.'])).resolves.toBe('');
});
