import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

const root = fileURLToPath(new URL('..', import.meta.url));

/** Folders whose tests need no database: `--project unit` starts nothing and takes a few seconds. */
const unitFolders = ['test/unit/**/*.test.ts', 'test/contract/**/*.test.ts'];
const propertyFolders = ['test/property/**/*.test.ts'];
/** These take minutes or measure; their own npm scripts run them, not the usual run. */
const otherRuns = [
  'test/bench/**',
  ...(process.env.TEST_AGENTS === undefined ? ['test/e2e/agents*.test.ts'] : []),
];

export default defineConfig({
  root,
  test: {
    // The programs that tests start share their compiled code, as those of `npm start` do.
    env: { NODE_COMPILE_CACHE: join(root, 'node_modules/.cache/slipway') },
    // Files that drive real programs mostly wait for them.
    maxWorkers: 4,
    // Real programs (git, npm, servers) on a busy machine take longer than the 5 s that suit pure functions.
    testTimeout: 120_000,
    hookTimeout: 60_000,
    projects: [
      // Without isolation: half the time, and each file cleans up its mocks.
      {
        extends: true,
        test: { name: 'unit', root, include: unitFolders, testTimeout: 5_000, isolate: false },
      },
      { extends: true, test: { name: 'property', root, include: propertyFolders, isolate: false } },
      {
        extends: true,
        test: {
          name: 'emulated',
          root,
          include: ['test/**/*.test.ts'],
          exclude: [...unitFolders, ...propertyFolders, ...otherRuns],
          globalSetup: ['test/support/global-setup.ts'],
        },
      },
    ],
  },
});
