import { spawnSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundleFolderOf, bundleFunctions } from '../../lib/infra/bundles.ts';
import { handlers } from '../../lib/infra/handlers.ts';
import { agents } from './agents/agents.ts';
import { busyNeighbours } from './busy-neighbours.ts';
import { accessOf, clientsOf } from './clients.ts';
import { cost } from './cost-tables.ts';
import { hostile } from './hostile.ts';
import { idle } from './idle.ts';
import { init } from './init.ts';
import { overhead } from './overhead.ts';
import { proxy } from './proxy/proxy.ts';
import { scale } from './scale.ts';
import { printTable } from './table.ts';
import { warm } from './warm.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));

/** `TEST_MASS=20 npm run bench mass` makes fewer. */
const DEPLOYMENTS = '200';

/**
 * Many deployments at once, and sweeps of many. mass.test.ts measures and prints, as tests have a database
 * and a stream.
 */
async function mass(): Promise<void> {
  const vitest = join(root, 'node_modules/vitest/vitest.mjs');
  const file = 'test/bench/mass.test.ts';
  const args = [vitest, 'run', '--config', 'test/vitest.config.ts', file, '--disable-console-intercept'];
  const env = { ...process.env, TEST_MASS: process.env.TEST_MASS ?? DEPLOYMENTS };
  const { status } = spawnSync(process.execPath, args, { cwd: root, env, stdio: 'inherit' });
  if (status !== 0) throw new Error(`${file} failed`);
}

/**
 * What each function's code weighs as it is deployed. The ceilings are in
 * test/support/aws/bundle-ceilings.ts.
 */
async function bundles(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'slipway-bench-'));
  try {
    const made = await bundleFunctions(handlers(), folder);
    const rows = [...made].map(([handler, { sizeBytes }]) => [
      bundleFolderOf(handler),
      sizeBytes / 1024,
      clientsOf(accessOf(handler)),
    ]);
    printTable(
      'Bundles, minified, without source maps',
      ['function', 'KiB', 'AWS clients'],
      rows.toSorted((a, b) => Number(a[1]) - Number(b[1])),
    );
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/**
 * What can be asked for by name; all of it otherwise. The first seven are the embedded default's, the last is
 * the agent server's, which needs Python, the others are AWS's.
 */
const parts: Record<string, () => Promise<void>> = {
  overhead,
  idle,
  hostile,
  neighbours: busyNeighbours,
  proxy,
  scale,
  mass,
  bundles,
  init,
  warm,
  cost,
  agents,
};

/**
 * Prints what Slipway costs and takes, measured now on this machine. Nothing is asserted: figures are for
 * reading side by side.
 */
const [cpu] = cpus();
console.log(`${cpus().length} x ${cpu?.model ?? 'unknown'}, Node ${process.version}, ${process.platform}\n`);
for (const name of process.argv.length > 2 ? process.argv.slice(2) : Object.keys(parts)) {
  const part = parts[name];
  if (part === undefined) throw new Error(`There is no '${name}': ${Object.keys(parts).join(', ')}`);
  await part();
}
