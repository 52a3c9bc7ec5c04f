import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { expect, it } from 'vitest';

const root = fileURLToPath(new URL('../../../../', import.meta.url));

/** Everything that its process loads: nothing of it takes tasks, reads or masks output, or looks at processes. */
it('the process of the proxy loads what passes requests on, and nothing else', async () => {
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: ['lib/compute/process/proxy/main.ts'],
    bundle: true,
    write: false,
    metafile: true,
    platform: 'node',
    format: 'esm',
    packages: 'external',
  });
  const beside = Object.keys(metafile.inputs).filter(
    (file) => !file.startsWith('lib/compute/process/proxy/'),
  );
  expect(beside.toSorted()).toEqual([
    'lib/contract/agent-front.ts',
    'lib/contract/deployments/latency-bounds.ts',
    'lib/contract/own-redirects.ts',
    'lib/domain/metrics/histogram.ts',
    'lib/serving/admission.ts',
    'lib/serving/hosts.ts',
    'lib/serving/silent-bodies.ts',
  ]);
  const loaded = Object.values(metafile.inputs).flatMap(({ imports }) => imports);
  const packages = loaded.flatMap(({ path, external }) => (external === true ? path : []));
  expect(packages.filter((name) => !name.startsWith('node:'))).toEqual(['undici']);
  expect(packages).not.toContain('node:child_process');
});
