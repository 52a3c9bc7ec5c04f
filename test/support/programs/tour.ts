import { execFile } from 'node:child_process';
import { cp, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect } from 'vitest';
import { temporaryFolder } from '../files/temporary-folder.ts';
import { blocksOf } from '../pages/blocks.ts';
import { printTimes } from './agents.ts';
import { expectApi, type Program, type ShownDeployment } from './program.ts';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const run = promisify(execFile);

/** How a revision of a tour ends. */
const OUTCOME = /^(?:DEPLOYED|[A-Z]+_FAILED|SKIPPED)$/;

/**
 * Runs what an example's README tells a reader to paste, in one shell. Only the folder it copies to, and the
 * port of the agents, are others. `lines`: what it prints, how revisions ended and what `said` is true of.
 * The seconds of what it has deployed are printed.
 */
export async function expectTour(
  program: Program,
  example: string,
  { said, lines, path }: { said: RegExp; lines: readonly unknown[]; path: string },
): Promise<void> {
  const blocks = blocksOf(`examples/${example}/README.md`).filter(({ language }) => language === 'sh');
  expect(blocks.length).toBeGreaterThan(3);
  const folder = await temporaryFolder();
  await mkdir(join(folder, 'clone/examples'), { recursive: true });
  await cp(join(root, 'examples', example), join(folder, 'clone/examples', example), { recursive: true });
  const port = /Agents +\S+:(\d+)\/d\/<name>\//.exec(program.output())?.[1] ?? 'no address is printed';
  const script = blocks
    .map(({ text }) => text)
    .join('\n')
    .replaceAll(`/tmp/${example}`, join(folder, example))
    .replaceAll('localhost:4401', `localhost:${port}`);
  const before = new Set((await deploymentsOf(program)).map(({ id }) => id));
  const { stdout } = await run('bash', ['-euo', 'pipefail', '-c', script], {
    cwd: join(folder, 'clone'),
    env: {
      ...process.env,
      PATH: path,
      SLIPWAY_URL: program.baseUrl,
      SLIPWAY_API_KEY: program.apiKey,
    },
  });
  for (const made of await deploymentsOf(program))
    if (!before.has(made.id)) await printAllTimes(program, made, `tour of ${example}, ${made.name}`);
  expect(stdout.split('\n').filter((line) => OUTCOME.test(line) || said.test(line))).toEqual(lines);
}

type Page<Item> = { resources: Item[] };
type Named = ShownDeployment & { name: string };

const read = async <Item>(program: Program, path: string): Promise<Item[]> =>
  (await expectApi<Page<Item>>(program, 'GET', path, undefined, 200)).resources;

const deploymentsOf = (program: Program) => read<Named>(program, '/v2/deployments');

/** Of all revisions of a deployment, the oldest first. */
async function printAllTimes(program: Program, made: Named, name: string): Promise<void> {
  const revisions = await read<{ id: string }>(program, `/v2/deployments/${made.id}/revisions`);
  for (const { id } of revisions.toReversed())
    await printTimes(program, { ...made, latest_revision_id: id }, name);
}
