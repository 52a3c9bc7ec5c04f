import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bundleFolderOf, bundleFunctions } from '../../lib/infra/bundles.ts';
import { handlers } from '../../lib/infra/handlers.ts';
import { accessOf, clientsOf } from './clients.ts';
import { printTable } from './table.ts';

/**
 * What each function's code weighs as it is deployed. The ceilings are in
 * test/support/aws/bundle-ceilings.ts.
 */
export async function bundles(): Promise<void> {
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
