import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it, onTestFinished } from 'vitest';
import { blocksOf } from '../support/pages/blocks.ts';

/** What the page's example has of Node, whose types are not there. */
const NODE = 'declare const process: { env: Record<string, string | undefined> };';

const root = fileURLToPath(new URL('../../', import.meta.url));
const run = promisify(execFile);

/** A program of somebody else's, which has nothing of ours but the package. */
const PROGRAM = `
import { type Client, createClient, type Deployment, isEnded, Refusal } from 'slipway-client';

const client: Client = createClient({ url: 'http://127.0.0.1:9', credentials: { apiKey: 'key' }, triesMax: 1 });
async function use() {
  const query = { status: ['READY'], limit: 2 } as const;
  for await (const { id, status } of client.list('GET /v2/deployments', { query })) {
    const known: Deployment['status'] = status;
    console.log(id satisfies string, known);
  }
  for await (const { message } of client.follow(
    'GET /v2/deployments/{deployment_id}/revisions/{revision_id}/logs',
    { params: { deployment_id: 'a', revision_id: 'b' }, query: { type: 'build' } },
  ))
    console.log(message satisfies string);
  // @ts-expect-error -- no such endpoint
  await client.ask('GET /v2/deploymens', {});
  // @ts-expect-error -- no list
  client.list('GET /v2/me', {});
  // @ts-expect-error -- the body is missing
  await client.ask('POST /v2/deployments', {});
  // @ts-expect-error -- no such status
  await client.ask('GET /v2/deployments', { query: { status: ['GONE'] } });
}
console.log(typeof use, isEnded({ status: 'DEPLOYED' }));
await client.ask('GET /v2/me', {}).catch((error) => console.log(error instanceof Refusal, error.status));
`;

it('the packed client works for who has nothing else of ours: as a program, and for the compiler', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'slipway-client-package-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const { stdout } = await run(process.execPath, ['bin/pack-client.ts', folder], { cwd: root });
  const installed = join(folder, 'node_modules/slipway-client');
  await mkdir(installed, { recursive: true });
  await run('tar', ['-xzf', stdout.trim(), '-C', installed, '--strip-components', '1']);
  expect((await readdir(installed)).toSorted()).toEqual([
    'client.d.ts',
    'endpoints.d.ts',
    'index.d.ts',
    'index.js',
    'package.json',
    'refusal.d.ts',
    'request.d.ts',
  ]);
  const manifest: unknown = JSON.parse(await readFile(join(installed, 'package.json'), 'utf8'));
  expect(manifest).not.toHaveProperty('dependencies');

  await writeFile(join(folder, 'program.mts'), PROGRAM);
  const examples = blocksOf('docs/client.md').filter(({ language }) => language === 'ts');
  expect(examples.length).toBeGreaterThan(0);
  const page = [NODE, ...examples.map(({ text }) => text)].join('\n');
  await writeFile(join(folder, 'page.mts'), page);
  const compilerOptions = {
    strict: true,
    exactOptionalPropertyTypes: true,
    module: 'nodenext',
    target: 'es2024',
    lib: ['ES2024', 'DOM', 'DOM.AsyncIterable'],
    types: [],
    skipLibCheck: false,
  };
  const settings = join(folder, 'tsconfig.json');
  await writeFile(settings, JSON.stringify({ compilerOptions, files: ['program.mts', 'page.mts'] }));
  const compiled = await run(join(root, 'node_modules/.bin/tsc'), ['--project', settings]).catch(
    (error: unknown) => error,
  );
  expect(compiled).toMatchObject({ stdout: '' });
  const { stdout: said } = await run(process.execPath, [join(folder, 'program.mjs')]);
  expect(said).toBe('function true\ntrue 0\n');
});
