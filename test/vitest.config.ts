import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { quickFolder, runFolder } from './support/run/quick-folder.ts';
import { LongestFirst } from './support/run/sequencer.ts';

const root = fileURLToPath(new URL('..', import.meta.url));

/** Folders whose tests need no database: `--project unit` starts nothing and takes a few seconds. */
const unitFolders = ['test/unit/**/*.test.ts', 'test/contract/**/*.test.ts'];
/** What stands for AWS here needs Python: an emulator, and the scripts of builds. */
const awsFolders = ['test/aws/**/*.test.ts', 'test/infra/image-builder/**/*.test.ts'];
/** These take minutes, measure, or need more than Node; their own npm scripts run them, not the usual run. */
const otherRuns = [
  ...(process.env.TEST_MASS === undefined ? ['test/bench/**'] : []),
  'test/fuzz/**',
  'test/kubernetes/**',
  ...awsFolders,
  ...(process.env.TEST_KILLS === undefined ? ['test/kills/**'] : []),
  ...(process.env.TEST_AGENTS === undefined ? ['test/e2e/agents*.test.ts'] : []),
  ...(process.env.TEST_BROWSER === undefined ? ['test/e2e/*-browser.test.ts'] : []),
];

/** Packages of agents, whole installations and clusters are too much to be kept in memory. */
const isLarge = ['TEST_AGENTS', 'TEST_AWS', 'TEST_KUBERNETES'].some(
  (name) => process.env[name] !== undefined,
);

/** Functions that run inside of tests would log each request. */
const silent = { POWERTOOLS_LOG_LEVEL: 'SILENT' };

/** CI counts what a run came to, and names what failed. */
const results = process.env.TEST_RESULTS;

export default defineConfig({
  root,
  test: {
    ...(results !== undefined && { reporters: ['dot', ['json', { outputFile: results }]] }),
    // The programs that tests start share their compiled code, as those of `npm start` do.
    env: {
      NODE_COMPILE_CACHE: join(root, 'node_modules/.cache/slipway'),
      TMPDIR: runFolder(isLarge ? tmpdir() : quickFolder()),
    },
    sequence: { sequencer: LongestFirst },
    // By Node itself, as the programs are: vitest's own loader would transform every module, and take longer
    // for each call between two.
    experimental: { viteModuleRunner: false },
    // Files that drive real programs mostly wait for them.
    maxWorkers: 5,
    // Real programs (git, npm, servers) on a busy machine take long. What a test waits for has four minutes
    // and says so when they are over: this only ends what hangs.
    testTimeout: 600_000,
    hookTimeout: 600_000,
    projects: [
      // Without isolation: half the time, and each file cleans up its mocks.
      {
        extends: true,
        test: {
          name: 'unit',
          root,
          include: unitFolders,
          isolate: false,
          env: silent,
          // Nothing in them waits: more workers than processors would load the modules more often.
          maxWorkers: 2,
          sequence: { groupOrder: 0 },
        },
      },
      {
        extends: true,
        test: {
          name: 'emulated',
          root,
          include: ['test/**/*.test.ts'],
          exclude: [...unitFolders, ...otherRuns],
          env: silent,
          globalSetup: ['test/support/run/global-setup.ts'],
          sequence: { groupOrder: 1 },
          // As above: loading the modules again for each file would be a tenth of the run.
          isolate: false,
        },
      },
      ...(process.env.TEST_FUZZ === undefined
        ? []
        : [
            {
              extends: true as const,
              test: {
                name: 'fuzz',
                root,
                include: ['test/fuzz/**/*.test.ts'],
                env: silent,
                globalSetup: ['test/support/run/global-setup.ts'],
              },
            },
          ]),
      // The cluster is built with Go.
      ...(process.env.TEST_KUBERNETES === undefined
        ? []
        : [
            {
              extends: true as const,
              test: {
                name: 'kubernetes',
                root,
                include: ['test/kubernetes/**/*.test.ts'],
                env: silent,
                globalSetup: ['test/kubernetes/global-setup.ts'],
                maxWorkers: 2,
                testTimeout: 1_200_000,
              },
            },
          ]),
      // Each test goes on from what the one before left deployed.
      ...(process.env.TEST_AWS === undefined
        ? []
        : [
            {
              extends: true as const,
              test: {
                name: 'aws',
                root,
                include: awsFolders,
                exclude: process.env.TEST_AWS_MUTATIONS === undefined ? ['**/*-mutations.test.ts'] : [],
                globalSetup: ['test/aws/global-setup.ts'],
                // Some of them deploy, with the CDK.
                testTimeout: 1_200_000,
              },
            },
          ]),
    ],
  },
});
