import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../', import.meta.url));

/** `TEST_MASS=20 npm run bench mass` makes fewer. */
const DEPLOYMENTS = '200';

/**
 * Many deployments at once, and sweeps of many. mass.test.ts measures and prints, as tests have a database
 * and a stream.
 */
export async function mass(): Promise<void> {
  const vitest = join(root, 'node_modules/vitest/vitest.mjs');
  const file = 'test/bench/mass.test.ts';
  const args = [vitest, 'run', '--config', 'test/vitest.config.ts', file, '--disable-console-intercept'];
  const env = { ...process.env, TEST_MASS: process.env.TEST_MASS ?? DEPLOYMENTS };
  const { status } = spawnSync(process.execPath, args, { cwd: root, env, stdio: 'inherit' });
  if (status !== 0) throw new Error(`${file} failed`);
}
